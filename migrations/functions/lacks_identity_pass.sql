-- Whether a cardholder has no pass.
CREATE OR REPLACE FUNCTION lacks_identity_pass(
    p_now       timestamptz,
    p_bank_id   text,
    p_unique_id text
) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN NOT EXISTS (
        SELECT FROM identity_pass WHERE bank_id = p_bank_id AND unique_id = p_unique_id AND expires_at > p_now);
END
$$;
