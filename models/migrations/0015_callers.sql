-- Who calls: new secrets are announced to the processes, and the tokens of a partner are found without reading all.

-- Processes know the hash of every secret that was ever given out, so that others are refused without a question here.
-- The channel is the one of what changes callers; a notification without a hash there means that something changed.
CREATE FUNCTION announce_token() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('callers', encode(NEW.token_hash, 'hex'));
  RETURN NULL;
END $$;
CREATE TRIGGER token_added AFTER INSERT ON tokens FOR EACH ROW EXECUTE FUNCTION announce_token();

CREATE FUNCTION announce_partner_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('callers', encode(NEW.key_hash, 'hex'));
  RETURN NULL;
END $$;
CREATE TRIGGER partner_key_added AFTER INSERT ON partner_keys FOR EACH ROW EXECUTE FUNCTION announce_partner_key();
CREATE TRIGGER partner_keys_changed AFTER UPDATE OR DELETE ON partner_keys
  FOR EACH STATEMENT EXECUTE FUNCTION tell_callers_changed();

-- POST /partner/organizations/{org_id}/token: the partner's tokens of the organisation, the latest first.
CREATE INDEX tokens_of_partner ON tokens (org_id, partner_id, created_time DESC, id DESC) WHERE partner_id IS NOT NULL;
