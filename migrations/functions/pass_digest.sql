-- As cardholder_digest, of a pass.
CREATE OR REPLACE FUNCTION pass_digest(p_row identity_pass) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT substring(sha256(
        array_send(ARRAY[p_row.bank_id, p_row.unique_id]::text[]) || int8send(p_row.row_id)
        || array_send(ARRAY[p_row.validation_digest, p_row.mac]) || array_send(ARRAY[p_row.passed_at, p_row.expires_at])
    ) FOR 16)
$$;
