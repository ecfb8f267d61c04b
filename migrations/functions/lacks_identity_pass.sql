-- Whether a cardholder has no pass, or another one than the server has found to be genuine and valid.
CREATE OR REPLACE FUNCTION lacks_identity_pass(
    p_bank_id   text,
    p_unique_id text,
    p_pass_mac  bytea -- null if the server has found none
) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN NOT EXISTS (
        SELECT FROM identity_pass WHERE bank_id = p_bank_id AND unique_id = p_unique_id AND mac = p_pass_mac);
END
$$;
