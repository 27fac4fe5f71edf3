-- The marks of Temporal's namespaces that these books know: one that they do not know is of a Temporal that has lost its data.

-- `taken_up_time`: when all that only the Temporal before it remembered was taken up again from the rows; null while that is to be
-- done, which `worker`, a process, does until `worker_until`, and another one after that. The first mark has nothing before it.
CREATE TABLE temporal_marks (
  generation    uuid PRIMARY KEY,
  noted_time    timestamptz NOT NULL,
  taken_up_time timestamptz,
  worker        uuid,
  worker_until  timestamptz
);
