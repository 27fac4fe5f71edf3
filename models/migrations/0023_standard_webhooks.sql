-- Endpoints that want the headers of Standard Webhooks beside our own.
ALTER TABLE webhook_endpoints ADD COLUMN standard_webhooks boolean NOT NULL DEFAULT false;
