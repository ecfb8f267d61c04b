-- PIN definition: keypads, the rules of a bank, and the steps that must be atomic; and the rotation of server keys.

ALTER TABLE bank
    ADD COLUMN definition                 boolean NOT NULL DEFAULT true,
    ADD COLUMN definitions_per_day        integer NOT NULL DEFAULT 5 CHECK (definitions_per_day BETWEEN 1 AND 100),
    -- Whether a PIN that was defined counts as one that was never delivered.
    ADD COLUMN definition_resets_delivery boolean NOT NULL DEFAULT true,
    ADD COLUMN keypads_per_minute         integer NOT NULL DEFAULT 60 CHECK (keypads_per_minute BETWEEN 1 AND 600),
    ADD COLUMN weak_pin_rules             text[] NOT NULL
        DEFAULT ARRAY['same', 'ascending', 'descending', 'pairs', 'listed']
        CHECK (weak_pin_rules <@ ARRAY['same', 'ascending', 'descending', 'pairs', 'listed']),
    -- The bank's own list, beside the one that every bank has under the rule 'listed'. It is public knowledge.
    ADD COLUMN listed_pins                text[] NOT NULL DEFAULT ARRAY[]::text[]
        CHECK (cardinality(listed_pins) <= 10000);

ALTER TABLE cardholder
    -- The day (UTC) of the last definition, and how many there were on it.
    ADD COLUMN definition_day   date,
    ADD COLUMN definition_count integer NOT NULL DEFAULT 0 CHECK (definition_count >= 0),
    -- The minute of the last keypad, and how many were asked for in it.
    ADD COLUMN keypad_minute    timestamptz,
    ADD COLUMN keypad_count     integer NOT NULL DEFAULT 0 CHECK (keypad_count >= 0);

-- A scrambled keypad that waits for its definition; it is gone with it.
CREATE TABLE keypad (
    id            text PRIMARY KEY CHECK (length(id) BETWEEN 22 AND 64),
    bank_id       identifier NOT NULL,
    unique_id     identifier NOT NULL,
    sealed_layout bytea NOT NULL,
    made_at       timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    FOREIGN KEY (bank_id, unique_id) REFERENCES cardholder ON DELETE CASCADE,
    CONSTRAINT a_keypad_has_a_life CHECK (expires_at > made_at)
);

CREATE INDEX keypad_by_cardholder ON keypad (bank_id, unique_id, made_at);
CREATE INDEX keypad_by_expiry ON keypad (expires_at);

-- Keeps a new keypad for a cardholder, and of those before it the newest.
--
-- 'stale' asks to judge again with the bank as it is now. The operation has no authentication: what it may write is
-- bounded for each cardholder, and nothing is written for one that does not exist.
CREATE FUNCTION make_keypad(
    p_now             timestamptz,
    p_bank_id         text,
    p_bank_revision   bigint,
    p_unique_id       text,
    p_keypad_id       text,
    p_sealed_layout   bytea,
    p_expires_at      timestamptz,
    p_kept            integer, -- how many keypads a cardholder may have
    OUT outcome        text,
    OUT retry_after    integer, -- seconds, with 'too-many'
    OUT displaced      integer  -- live keypads that had to go
) LANGUAGE plpgsql AS $$
DECLARE
    the_bank    bank;
    holder      cardholder;
    this_minute timestamptz := date_trunc('minute', p_now);
BEGIN
    displaced := 0;
    SELECT * INTO the_bank FROM bank WHERE id = p_bank_id AND revision = p_bank_revision AND status = 'ACTIVE';
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
        SELECT id FROM keypad WHERE bank_id = p_bank_id AND unique_id = p_unique_id
        ORDER BY made_at DESC, id OFFSET p_kept - 1
    ), removed AS (
        DELETE FROM keypad USING old WHERE keypad.id = old.id RETURNING expires_at
    )
    SELECT count(*) INTO displaced FROM removed WHERE expires_at > p_now;

    INSERT INTO keypad (id, bank_id, unique_id, sealed_layout, made_at, expires_at)
        VALUES (p_keypad_id, p_bank_id, p_unique_id, p_sealed_layout, p_now, p_expires_at);
    outcome := 'made';
END
$$;

-- Spends a token's id in PIN definition; false where it is spent. An id whose time is over serves again.
CREATE FUNCTION spend_definition_transaction(
    p_now timestamptz, p_bank_id text, p_id_transaction text, p_expires_at timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO spent_transaction AS old (bank_id, service, id_transaction, spent_at, expires_at)
        VALUES (p_bank_id, 'definition', p_id_transaction, p_now, p_expires_at)
        ON CONFLICT (bank_id, service, id_transaction)
        DO UPDATE SET spent_at = excluded.spent_at, expires_at = excluded.expires_at
        WHERE old.expires_at <= p_now;
    RETURN FOUND;
END
$$;

-- One definition, from the spending of its id to the new PIN.
--
-- The caller has been authenticated against the bank at p_bank_revision, and the PIN has been judged with it: where it
-- was refused, the token is spent all the same.
CREATE FUNCTION define_pin(
    p_now                    timestamptz,
    p_bank_id                text,
    p_bank_revision          bigint,
    p_unique_id              text,
    p_id_transaction         text,        -- by token only
    p_transaction_expires_at timestamptz, -- by token only
    p_hmac_digest            bytea,       -- by HMAC only
    p_hmac_expires_at        timestamptz, -- by HMAC only
    p_choice                 text,        -- 'digits', 'indexes', or 'refused': it could not be judged, or not allowed
    p_keypad_id              text,        -- 'indexes': the keypad that they were read with, where there is one
    p_sealed_pin             bytea        -- 'indexes': null where they are no PIN that the bank allows
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    the_bank bank;
    holder   cardholder;
    is_fresh boolean;
    today    date := (p_now AT TIME ZONE 'UTC')::date;
BEGIN
    SELECT * INTO the_bank FROM bank WHERE id = p_bank_id AND revision = p_bank_revision AND status = 'ACTIVE';
    IF NOT FOUND THEN
        RETURN 'stale';
    END IF;
    is_fresh := p_id_transaction IS NULL OR spend_definition_transaction(
        p_now, p_bank_id, p_id_transaction, p_transaction_expires_at);
    IF p_choice = 'refused' THEN
        RETURN 'refused';
    END IF;
    IF NOT is_fresh THEN
        RETURN 'transaction-spent';
    END IF;

    -- Two requests with one HMAC are for one cardholder: the row's lock lets the second see the first.
    SELECT * INTO holder FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
    IF p_hmac_digest IS NOT NULL AND EXISTS (
        SELECT FROM spent_hmac WHERE bank_id = p_bank_id AND digest = p_hmac_digest
    ) THEN
        RETURN 'hmac-spent';
    END IF;
    IF holder.unique_id IS NULL THEN
        RETURN 'no-cardholder';
    END IF;
    IF holder.status <> 'ACTIVE' OR NOT the_bank.definition
        OR (holder.definition_day = today AND holder.definition_count >= the_bank.definitions_per_day) THEN
        RETURN 'status-not-satisfied';
    END IF;
    IF p_choice = 'indexes' THEN
        PERFORM FROM keypad WHERE id = p_keypad_id AND bank_id = p_bank_id AND unique_id = p_unique_id
            AND expires_at > p_now;
        IF NOT FOUND THEN
            RETURN 'no-keypad';
        END IF;
    END IF;
    IF p_sealed_pin IS NULL THEN
        RETURN 'bad-pin';
    END IF;

    DELETE FROM keypad WHERE id = p_keypad_id;
    IF p_hmac_digest IS NOT NULL THEN
        INSERT INTO spent_hmac (bank_id, digest, expires_at) VALUES (p_bank_id, p_hmac_digest, p_hmac_expires_at);
    END IF;
    UPDATE cardholder SET
        sealed_pin = p_sealed_pin,
        pin_serial = pin_serial + 1,
        delivered_at = CASE WHEN the_bank.definition_resets_delivery THEN NULL ELSE delivered_at END,
        unconfirmed_fetches = CASE WHEN the_bank.definition_resets_delivery THEN 0 ELSE unconfirmed_fetches END,
        pin_expires_at = CASE WHEN the_bank.definition_resets_delivery OR delivered_at IS NULL
            THEN p_now + make_interval(days => the_bank.undelivered_lifetime_days) END,
        definition_day = today,
        definition_count = CASE WHEN holder.definition_day = today THEN holder.definition_count + 1 ELSE 1 END
    WHERE bank_id = p_bank_id AND unique_id = p_unique_id;
    RETURN 'defined';
END
$$;

-- Server keys in rotation: the active one of a kind is what new values are to be sealed to; a retiring one is still
-- published and still opens; of a retired one only the name is left.
ALTER TABLE server_key
    DROP CONSTRAINT server_key_status_check,
    ALTER COLUMN sealed_key DROP NOT NULL,
    ADD COLUMN demoted_at timestamptz,
    ADD CONSTRAINT server_key_status_check CHECK (status IN ('ACTIVE', 'RETIRING', 'RETIRED')),
    ADD CONSTRAINT a_retired_key_is_gone CHECK ((status = 'RETIRED') = (sealed_key IS NULL)),
    ADD CONSTRAINT a_key_leaves_its_place CHECK ((status = 'ACTIVE') = (demoted_at IS NULL));
