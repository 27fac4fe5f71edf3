-- Webhook operations: secrets of endpoints that are replaced.

-- The secrets before the present one that deliveries are still signed with: [{"sealed", "until"}], the latest first. At
-- most four, and replaced as a whole, so they are no table.
ALTER TABLE webhook_endpoints ADD COLUMN former_secrets jsonb NOT NULL DEFAULT '[]';
