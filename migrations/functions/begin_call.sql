-- Claims an Idempotency-Key until the transaction ends: 'first' if the call must be served, 'under-way' if another
-- transaction is serving it, 'answered' if it has been served. A call without a key is always the first.
CREATE OR REPLACE FUNCTION begin_call(p_now timestamptz, p_bank_id text, p_key text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    IF p_key IS NULL THEN
        RETURN 'first';
    END IF;
    IF NOT pg_try_advisory_xact_lock(hashtextextended(p_bank_id || chr(10) || p_key, 0)) THEN
        RETURN 'under-way';
    END IF;
    RETURN CASE WHEN EXISTS (
        SELECT FROM idempotent_answer WHERE bank_id = p_bank_id AND idempotency_key = p_key AND expires_at > p_now
    ) THEN 'answered' ELSE 'first' END;
END
$$;
