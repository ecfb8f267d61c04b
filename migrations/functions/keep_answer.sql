-- Keeps what a call with an Idempotency-Key did, for its repetitions. An answer that has expired is replaced.
CREATE OR REPLACE FUNCTION keep_answer(
    p_bank_id text, p_key text, p_mac bytea, p_expires_at timestamptz, p_outcome text, p_version bigint, p_pin text
) RETURNS void LANGUAGE sql AS $$
    INSERT INTO idempotent_answer (bank_id, idempotency_key, request_mac, outcome, version, pin, expires_at)
        VALUES (p_bank_id, p_key, p_mac, p_outcome, p_version, p_pin, p_expires_at)
        ON CONFLICT (bank_id, idempotency_key) DO UPDATE SET
            request_mac = excluded.request_mac, outcome = excluded.outcome, version = excluded.version,
            pin = excluded.pin, answer = NULL, expires_at = excluded.expires_at
$$;
