-- Removes the pass of a cardholder whose row the caller has locked.
CREATE OR REPLACE FUNCTION remove_pass(
    p_bank_id   text,
    p_unique_id text,
    p_up_to     timestamptz -- only a pass that was given by then
) RETURNS bytea LANGUAGE plpgsql AS $$ -- the change for the audit trail; null if there is none
DECLARE
    removed identity_pass;
BEGIN
    DELETE FROM identity_pass WHERE bank_id = p_bank_id AND unique_id = p_unique_id AND passed_at <= p_up_to
        RETURNING * INTO removed;
    RETURN CASE WHEN FOUND THEN removed_pass(p_row => removed) END;
END
$$;
