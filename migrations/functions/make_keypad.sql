-- Stores a new keypad for a cardholder, and keeps only the newest of the older ones.
--
-- The caller is not authenticated, so the rows per cardholder are limited, and nothing is written for a cardholder who does
-- not exist. 'stale' means that the bank has changed: the server must read it again.
CREATE OR REPLACE FUNCTION make_keypad(
    p_now           timestamptz,
    p_bank_id       text,
    p_bank_revision bigint,
    p_unique_id     text,
    p_keypad_id     text,
    p_sealed_layout bytea,
    p_expires_at    timestamptz,
    p_kept          integer, -- how many keypads a cardholder can have
    OUT outcome     text,
    OUT retry_after integer, -- seconds, with 'too-many'
    OUT displaced   integer  -- how many keypads were deleted although they had not expired
) LANGUAGE plpgsql SET search_path = card_companion, pg_temp AS $$
DECLARE
    the_bank    bank;
    holder      cardholder;
    this_minute timestamptz := date_trunc('minute', p_now);
BEGIN
    displaced := 0;
    SELECT * INTO the_bank FROM bank
        WHERE bank_id = p_bank_id AND revision = p_bank_revision AND status = 'ACTIVE';
    IF NOT FOUND THEN
        outcome := 'stale';
        RETURN;
    END IF;
    SELECT * INTO holder FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
    IF NOT FOUND THEN
        outcome := 'no-cardholder';
        RETURN;
    END IF;
    IF holder.status <> 'ACTIVE' OR NOT the_bank.definition THEN
        outcome := 'status-not-satisfied';
        RETURN;
    END IF;
    IF holder.keypad_minute = this_minute AND holder.keypad_count >= the_bank.keypads_per_minute THEN
        outcome := 'too-many';
        retry_after := greatest(1, ceil(extract(epoch FROM this_minute + interval '1 minute' - p_now)));
        RETURN;
    END IF;
    UPDATE cardholder SET
        keypad_minute = this_minute,
        keypad_count = CASE WHEN holder.keypad_minute = this_minute THEN holder.keypad_count + 1 ELSE 1 END
    WHERE bank_id = p_bank_id AND unique_id = p_unique_id;

    WITH old AS (
        SELECT keypad_id FROM keypad WHERE bank_id = p_bank_id AND unique_id = p_unique_id
        ORDER BY made_at DESC, keypad_id OFFSET p_kept - 1
    ), removed AS (
        DELETE FROM keypad USING old WHERE bank_id = p_bank_id AND keypad.keypad_id = old.keypad_id
        RETURNING expires_at
    )
    SELECT count(*) INTO displaced FROM removed WHERE expires_at > p_now;

    INSERT INTO keypad (bank_id, keypad_id, unique_id, sealed_layout, made_at, expires_at)
        VALUES (p_bank_id, p_keypad_id, p_unique_id, p_sealed_layout, p_now, p_expires_at);
    outcome := 'made';
END
$$;
