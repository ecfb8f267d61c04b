-- Queues the PIN that a cardholder has just defined for the bank's connector, in place of the one before. If a connector has that one, the
-- new one waits until it is answered, or its lease has ended: otherwise the host could get them in the wrong order.
CREATE OR REPLACE FUNCTION queue_forwarded_pin(
    p_now       timestamptz,
    p_bank_id   text,
    p_unique_id text,
    p_event_id  text, -- the public id of its event pin.defined
    p_subject   bytea -- the cardholder's pseudonym in the audit trail
) RETURNS void LANGUAGE sql AS $$
    INSERT INTO forwarded_pin (bank_id, unique_id, event_id, subject, defined_at, next_attempt_at)
    VALUES (p_bank_id, p_unique_id, p_event_id, p_subject, p_now, p_now)
    ON CONFLICT (bank_id, unique_id) DO UPDATE SET
        event_id = excluded.event_id, subject = excluded.subject, attempts = 0, next_attempt_at = excluded.next_attempt_at,
        -- Later than the one before, also by the clock of another server: hosts go by it.
        defined_at = greatest(excluded.defined_at, forwarded_pin.defined_at + interval '1 millisecond')
$$;
