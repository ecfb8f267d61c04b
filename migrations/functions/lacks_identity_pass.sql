-- Whether a request of a cardholder needs a pass, and there is none. The request is a 'fetch' or a 'definition'.
CREATE OR REPLACE FUNCTION lacks_identity_pass(
    p_now       timestamptz,
    p_bank      bank,
    p_unique_id text,
    p_request   text
) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF p_bank.identity_check NOT IN (p_request, 'both') THEN
        RETURN false;
    END IF;
    RETURN NOT EXISTS (
        SELECT FROM identity_pass
        WHERE bank_id = p_bank.bank_id AND unique_id = p_unique_id AND expires_at > p_now);
END
$$;
