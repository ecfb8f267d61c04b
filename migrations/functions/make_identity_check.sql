-- A check that a bank asks for. It takes the place of the cardholder's present check, and withdraws the pass: who asks again
-- does not rely on what was shown before.
CREATE OR REPLACE FUNCTION make_identity_check(
    p_now               timestamptz,
    p_bank_id           text,
    p_unique_id         text,
    p_client_id         text,
    p_validation_digest bytea,
    p_expectation_mac   bytea,
    p_expectation       text,
    p_expires_at        timestamptz,
    OUT outcome      text,
    OUT changed_rows bytea -- for the audit trail
) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM document_client
        WHERE bank_id = p_bank_id AND client_id = p_client_id AND status = 'ACTIVE' AND NOT is_unbound;
    IF NOT FOUND THEN
        outcome := 'no-client';
        RETURN;
    END IF;
    -- The cardholder first, as everywhere. A session that gives a pass holds this lock until it commits, so the statements
    -- below see its pass.
    PERFORM FROM cardholder
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id AND status <> 'CLOSED' FOR UPDATE;
    IF NOT FOUND THEN
        outcome := 'no-cardholder';
        RETURN;
    END IF;
    changed_rows := remove_pass(p_bank_id => p_bank_id, p_unique_id => p_unique_id, p_up_to => 'infinity');
    DELETE FROM identity_check WHERE bank_id = p_bank_id AND unique_id = p_unique_id;
    INSERT INTO identity_check (
        bank_id, unique_id, client_id, validation_digest, expectation_mac, expectation, created_at, expires_at)
    VALUES (
        p_bank_id, p_unique_id, p_client_id, p_validation_digest, p_expectation_mac, p_expectation, p_now, p_expires_at);
    outcome := 'created';
END
$$;
