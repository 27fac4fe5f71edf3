-- The trace of the call that an event belongs to, as a W3C traceparent, so that its deliveries are a part of that trace.

-- Null where the service records no traces.
ALTER TABLE webhook_events ADD COLUMN traceparent text;
