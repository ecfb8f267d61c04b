-- Queues an event for its bank's webhook, if there is one.
CREATE OR REPLACE FUNCTION enqueue_webhook() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    -- Most banks that ask for events have no webhook, and this is the cheapest way to find that.
    IF NOT EXISTS (SELECT FROM webhook WHERE bank_id = NEW.bank_id AND status = 'ACTIVE') THEN
        RETURN NULL;
    END IF;
    -- Not due before an earlier event of the same cardholder that waits for a retry.
    INSERT INTO webhook_delivery (bank_id, event_id, unique_id, status, pending_since, next_attempt_at)
        SELECT NEW.bank_id, NEW.event_id, coalesce(NEW.unique_id, ''), 'PENDING', NEW.occurred_at, greatest(NEW.occurred_at, (
            SELECT max(next_attempt_at) FROM webhook_delivery
            WHERE bank_id = NEW.bank_id AND unique_id = coalesce(NEW.unique_id, '') AND status = 'PENDING'))
        FROM webhook WHERE bank_id = NEW.bank_id AND status = 'ACTIVE';
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER event_webhook AFTER INSERT ON event
    FOR EACH ROW EXECUTE FUNCTION enqueue_webhook();
