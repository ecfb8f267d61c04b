-- The end of a session whose document has passed: the check is closed, the cardholder gets a pass, and the bank an event.
-- False if the session no longer belongs to the check: it has ended, or the bank has asked for another check or disabled the
-- client.
CREATE OR REPLACE FUNCTION pass_identity_check(
    p_now        timestamptz,
    p_bank_id    text,
    p_unique_id  text,
    p_session_id text,
    p_data       jsonb,
    -- The pass.
    p_validation_digest bytea,
    p_expires_at        timestamptz,
    p_mac               bytea,
    OUT has_passed   boolean,
    OUT changed_rows bytea -- for the audit trail
) LANGUAGE plpgsql AS $$
DECLARE
    given identity_pass;
BEGIN
    has_passed := false;
    PERFORM FROM bank WHERE bank_id = p_bank_id AND status = 'ACTIVE';
    IF NOT FOUND THEN
        RETURN;
    END IF;
    -- The cardholder first, as everywhere, so that their events are in order.
    PERFORM FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
    DELETE FROM identity_check AS requested
        USING document_client AS client
        WHERE requested.bank_id = p_bank_id AND unique_id = p_unique_id AND session_id = p_session_id
            AND session_ends_at > p_now AND client.client_id = requested.client_id AND client.status = 'ACTIVE';
    IF NOT FOUND THEN
        RETURN;
    END IF;
    changed_rows := remove_pass(p_bank_id => p_bank_id, p_unique_id => p_unique_id, p_up_to => 'infinity');
    INSERT INTO identity_pass (bank_id, unique_id, validation_digest, passed_at, expires_at, mac)
        VALUES (p_bank_id, p_unique_id, p_validation_digest, p_now, p_expires_at, p_mac)
        RETURNING * INTO given;
    changed_rows := coalesce(changed_rows, '') || row_change(
        p_row_id => given.row_id, p_changes => 1, p_before => NULL, p_after => pass_digest(given));
    INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
        VALUES (p_bank_id, p_unique_id, 'identity.checked', p_data, p_now);
    has_passed := true;
END
$$;
