-- Takes back a fetch whose PIN could not be sent: the session, the count and the hashMac. After an internal error the
-- IdTransaction can be used again too. If the PIN could not be opened (code 305), it stays spent, and
-- p_transaction_digest is null.
--
-- If the session is gone, another request has ended it, and nothing is taken back. If the PIN has been replaced since, the
-- count is that of the new PIN, and stays.
CREATE OR REPLACE FUNCTION take_back_fetch(
    p_bank_id            text,
    p_unique_id          text,
    p_session_id         text,
    p_transaction_digest bytea,
    p_hmac_digest        bytea
) RETURNS bytea LANGUAGE plpgsql AS $$ -- the change for the audit trail; null if there is none
DECLARE
    fetched_serial bigint;
    before         cardholder;
    holder         cardholder;
BEGIN
    -- The cardholder first, as everywhere.
    SELECT * INTO before FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
    DELETE FROM delivery_session
        WHERE bank_id = p_bank_id AND session_id = p_session_id AND unique_id = p_unique_id
        RETURNING pin_serial INTO fetched_serial;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    UPDATE cardholder SET
        unconfirmed_fetches = greatest(unconfirmed_fetches - 1, 0), version = nextval('cardholder_version'),
        changes = changes + 1
    WHERE bank_id = p_bank_id AND unique_id = p_unique_id AND pin_serial = fetched_serial
    RETURNING * INTO holder;
    DELETE FROM spent_proof WHERE bank_id = p_bank_id AND kind = 'hmac' AND digest = p_hmac_digest;
    DELETE FROM spent_transaction WHERE bank_id = p_bank_id AND digest = p_transaction_digest;
    RETURN CASE WHEN holder.row_id IS NOT NULL THEN changed_cardholder(p_before => before, p_after => holder) END;
END
$$;
