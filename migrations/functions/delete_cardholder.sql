-- Erases a cardholder and everything that is stored about them. p_if_version is If-Match; null: any.
CREATE OR REPLACE FUNCTION delete_cardholder(
    p_now             timestamptz,
    p_bank_id         text,
    p_unique_id       text,
    p_if_version      bigint,
    p_must_not_exist  boolean,     -- If-None-Match: *
    p_call_key        text,        -- Idempotency-Key; null: none
    p_call_mac        bytea,
    p_call_expires_at timestamptz,
    OUT outcome       text,        -- 'deleted', or what was wrong
    OUT changed_rows  bytea        -- for the audit trail
) LANGUAGE plpgsql AS $$
DECLARE
    holder cardholder;
BEGIN
    outcome := begin_call(p_now => p_now, p_bank_id => p_bank_id, p_key => p_call_key);
    IF outcome <> 'first' THEN
        RETURN;
    END IF;
    SELECT * INTO holder FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
    IF NOT FOUND THEN
        outcome := 'absent';
        RETURN;
    END IF;
    IF p_must_not_exist OR holder.version <> p_if_version THEN
        outcome := 'precondition-failed';
        RETURN;
    END IF;
    changed_rows := coalesce(remove_pass(p_bank_id => p_bank_id, p_unique_id => p_unique_id, p_up_to => 'infinity'), '')
        || changed_cardholder(p_before => holder, p_after => NULL);
    DELETE FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id;
    outcome := 'deleted';
    IF p_call_key IS NOT NULL THEN
        PERFORM keep_answer(
            p_bank_id => p_bank_id, p_key => p_call_key, p_mac => p_call_mac, p_expires_at => p_call_expires_at,
            p_outcome => outcome, p_version => NULL, p_pin => NULL);
    END IF;
END
$$;
