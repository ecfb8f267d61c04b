-- Spends a token's id in PIN definition; false if it is already spent. An id that has expired can be used again.
CREATE OR REPLACE FUNCTION spend_definition_transaction(
    p_now timestamptz, p_bank_id text, p_digest bytea, p_expires_at timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO spent_proof AS old (bank_id, kind, digest, expires_at)
        VALUES (p_bank_id, 'definition', p_digest, p_expires_at)
        ON CONFLICT (bank_id, kind, digest) DO UPDATE SET expires_at = excluded.expires_at
        WHERE old.expires_at <= p_now;
    RETURN FOUND;
END
$$;
