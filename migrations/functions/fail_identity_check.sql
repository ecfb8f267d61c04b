-- The end of a session whose document has not passed: the check stays open for another session, and the bank gets an event.
-- False if the session no longer belongs to the check: it has ended, or the bank has asked for another check.
CREATE OR REPLACE FUNCTION fail_identity_check(
    p_now        timestamptz,
    p_bank_id    text,
    p_unique_id  text,
    p_session_id text,
    p_data       jsonb
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    -- The cardholder first, as everywhere, so that their events are in order.
    PERFORM FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
    UPDATE identity_check SET session_id = NULL, session_ends_at = NULL
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id AND session_id = p_session_id;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
        VALUES (p_bank_id, p_unique_id, 'identity.failed', p_data, p_now);
    RETURN true;
END
$$;
