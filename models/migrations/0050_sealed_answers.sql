-- Stored answers with a token or a secret go after the day in which they are repeated, however long the others are kept.
--
-- Beside the service; what a run that was broken off has left is made anew.
DROP INDEX IF EXISTS idempotent_answers_sealed;
-- step
CREATE INDEX CONCURRENTLY idempotent_answers_sealed ON idempotent_answers (created_time) WHERE sealed;
-- step
ANALYZE idempotent_answers;
