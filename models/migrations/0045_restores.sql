-- What is known of restores of this database; and when tokens and partner keys were last used.

-- `server`: the server, database and timeline that the service ran on when it was last known to be whole: another one is a restored
-- or a promoted database. `alive_time`: when a worker last noted that the service is at work. `restored_time`: when
-- `npm run after-restore` was run last, `restore_begun_time` while it is under way. `sequence_jump`: what is added to the version of
-- a document at its first change after that, so that receivers, who may have seen later versions than were restored, see it grow.
ALTER TABLE installation
  ADD COLUMN server             text,
  ADD COLUMN alive_time         timestamptz,
  ADD COLUMN restored_time      timestamptz,
  ADD COLUMN restore_begun_time timestamptz,
  ADD COLUMN sequence_jump      integer NOT NULL DEFAULT 0;

-- By the id of a token or partner key. Apart from their own rows, whose change makes every process forget all callers.
CREATE TABLE last_uses (
  subject        uuid PRIMARY KEY,
  last_used_time timestamptz NOT NULL
) WITH (fillfactor = 50);
