-- PIN distribution: what a fetch and its notify leave behind, and the steps that must be atomic.
--
-- A request is one call of one function here, so one round trip and one commit: of any number of simultaneous requests
-- on any number of servers each sees what the one before it did. The order of the checks is that of the protocol.

-- IdTransactions of tokens, spent by their first use, whatever its outcome.
CREATE TABLE spent_transaction (
    bank_id        identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    service        text NOT NULL CHECK (service IN ('distribution', 'definition')),
    id_transaction identifier NOT NULL,
    spent_at       timestamptz NOT NULL,
    -- Null: for good.
    expires_at     timestamptz,
    PRIMARY KEY (bank_id, service, id_transaction)
);

CREATE INDEX spent_transaction_by_expiry ON spent_transaction (expires_at) WHERE expires_at IS NOT NULL;

-- SHA-256 of each hashMac that has led to a PIN delivered or defined, until its timestamp leaves the window.
CREATE TABLE spent_hmac (
    bank_id    identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    digest     bytea NOT NULL CHECK (length(digest) = 32),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (bank_id, digest)
);

CREATE INDEX spent_hmac_by_expiry ON spent_hmac (expires_at);

-- A delivery that waits for its notify, or has had it.
CREATE TABLE delivery_session (
    id              text PRIMARY KEY CHECK (length(id) BETWEEN 22 AND 64),
    bank_id         identifier NOT NULL,
    unique_id       identifier NOT NULL,
    channel         text NOT NULL CHECK (channel IN ('AC', 'TOKEN')),
    -- Key id and MAC of the token that fetched; a token notify must resend the same.
    token_mac       bytea,
    -- For status 0, 1 and 2: SHA-256 of the one notify hash that is right. It opens nothing.
    confirmations   bytea[] NOT NULL CHECK (cardinality(confirmations) = 3),
    pin_serial      bigint NOT NULL CHECK (pin_serial > 0),
    opened_at       timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    notified_status smallint CHECK (notified_status BETWEEN 0 AND 2),
    FOREIGN KEY (bank_id, unique_id) REFERENCES cardholder ON DELETE CASCADE,
    CONSTRAINT a_session_has_a_life CHECK (expires_at > opened_at),
    CONSTRAINT a_token_session_knows_its_token CHECK ((channel = 'TOKEN') = (token_mac IS NOT NULL))
);

CREATE INDEX delivery_session_by_cardholder ON delivery_session (bank_id, unique_id);
CREATE INDEX delivery_session_by_expiry ON delivery_session (expires_at);

-- One fetch, from the spending of its id to the opening of its session.
--
-- The caller has been authenticated against the bank at p_bank_revision. 'stale' asks to judge again with the bank as it
-- is now; nothing has been written then. Every other outcome stands as soon as it is returned.
CREATE FUNCTION fetch_pin(
    p_now              timestamptz,
    p_bank_id          text,
    p_bank_revision    bigint,
    p_unique_id        text,
    p_channel          text,
    p_is_reminder      boolean,     -- the token's Type; an AC fetch is told apart here
    p_id_transaction   text,        -- TOKEN only
    p_hmac_digest      bytea,       -- AC only
    p_hmac_expires_at  timestamptz, -- AC only
    p_code_is_checked  boolean,
    p_code_has_form    boolean,
    p_code_macs        bytea[],     -- the code's MAC under each key that may have been used
    p_session_id       text,
    p_token_mac        bytea,       -- TOKEN only
    p_confirmations    bytea[],
    OUT outcome           text,
    OUT sealed_pin        bytea,
    OUT sealed_free_field bytea
) LANGUAGE plpgsql AS $$
DECLARE
    the_bank   bank;
    holder     cardholder;
    is_right   boolean;
    is_allowed boolean;
BEGIN
    SELECT * INTO the_bank FROM bank WHERE id = p_bank_id AND revision = p_bank_revision AND status = 'ACTIVE';
    IF NOT FOUND THEN
        outcome := 'stale';
        RETURN;
    END IF;

    IF p_channel = 'TOKEN' THEN
        INSERT INTO spent_transaction (bank_id, service, id_transaction, spent_at)
            VALUES (p_bank_id, 'distribution', p_id_transaction, p_now)
            ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            outcome := 'transaction-spent';
            RETURN;
        END IF;
    END IF;

    SELECT * INTO holder FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
    IF NOT FOUND THEN
        outcome := CASE WHEN EXISTS (
            SELECT FROM cardholder JOIN bank ON bank.id = cardholder.bank_id
            WHERE cardholder.unique_id = p_unique_id AND bank.programme = the_bank.programme
        ) THEN 'cardholder-of-another-bank' ELSE 'no-cardholder' END;
        RETURN;
    END IF;

    IF p_channel <> ALL (holder.channels) THEN
        outcome := 'wrong-channel';
        RETURN;
    END IF;

    -- Before the first confirmed delivery an AC fetch is a delivery, after it a reminder. Where the PIN was erased
    -- there is nothing to repeat or to remind of: that is 'no-pin', below.
    is_allowed := CASE
        WHEN holder.status <> 'ACTIVE' THEN false
        WHEN p_is_reminder THEN the_bank.reminders
        WHEN holder.delivered_at IS NULL OR the_bank.retention <> 'keep' THEN true
        ELSE p_channel = 'AC' AND the_bank.reminders
    END;
    IF NOT is_allowed THEN
        outcome := 'status-not-satisfied';
        RETURN;
    END IF;

    IF holder.authentication_failures >= the_bank.retry_limit
        OR holder.unconfirmed_fetches >= the_bank.fetch_limit THEN
        outcome := 'limit-reached';
        RETURN;
    END IF;

    IF p_code_is_checked THEN
        IF NOT p_code_has_form THEN
            outcome := 'code-without-form';
            RETURN;
        END IF;
        is_right := coalesce(holder.code_mac = ANY (p_code_macs), false);
        UPDATE cardholder
            SET authentication_failures = CASE WHEN is_right THEN 0 ELSE authentication_failures + 1 END
            WHERE bank_id = p_bank_id AND unique_id = p_unique_id
                AND NOT (is_right AND authentication_failures = 0);
        IF NOT is_right THEN
            outcome := 'wrong-code';
            RETURN;
        END IF;
    END IF;

    IF p_channel = 'AC' AND EXISTS (
        SELECT FROM spent_hmac WHERE bank_id = p_bank_id AND digest = p_hmac_digest
    ) THEN
        outcome := 'hmac-spent';
        RETURN;
    END IF;

    IF holder.sealed_pin IS NULL OR holder.pin_expires_at <= p_now THEN
        outcome := 'no-pin';
        RETURN;
    END IF;

    IF p_channel = 'AC' THEN
        INSERT INTO spent_hmac (bank_id, digest, expires_at) VALUES (p_bank_id, p_hmac_digest, p_hmac_expires_at);
    END IF;
    INSERT INTO delivery_session
        (id, bank_id, unique_id, channel, token_mac, confirmations, pin_serial, opened_at, expires_at)
        VALUES (p_session_id, p_bank_id, p_unique_id, p_channel, p_token_mac, p_confirmations, holder.pin_serial, p_now,
            p_now + make_interval(secs => the_bank.session_lifetime_seconds));
    UPDATE cardholder SET unconfirmed_fetches = unconfirmed_fetches + 1
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id;

    outcome := 'delivered';
    sealed_pin := holder.sealed_pin;
    sealed_free_field := holder.sealed_free_field;
END
$$;

-- Takes a fetch back whose PIN could not be sent: the session and the count, and the hashMac. A fault of the server's
-- own gives the IdTransaction back as well; a PIN that does not open (code 305) does not.
CREATE FUNCTION take_back_fetch(p_session_id text, p_bank_id text, p_id_transaction text, p_hmac_digest bytea)
    RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    undone delivery_session;
BEGIN
    DELETE FROM delivery_session WHERE id = p_session_id AND bank_id = p_bank_id RETURNING * INTO undone;
    IF FOUND THEN
        UPDATE cardholder SET unconfirmed_fetches = greatest(unconfirmed_fetches - 1, 0)
            WHERE bank_id = undone.bank_id AND unique_id = undone.unique_id;
    END IF;
    DELETE FROM spent_hmac WHERE bank_id = p_bank_id AND digest = p_hmac_digest;
    DELETE FROM spent_transaction
        WHERE bank_id = p_bank_id AND service = 'distribution' AND id_transaction = p_id_transaction;
END
$$;

-- One notify. The first that is right decides the session; 'confirmed' is also the answer to its repetition.
CREATE FUNCTION notify_delivery(
    p_now           timestamptz,
    p_bank_id       text,
    p_bank_revision bigint,
    p_unique_id     text,
    p_session_id    text,
    p_channel       text,
    p_token_macs    bytea[], -- TOKEN only: the token's MAC under each key that may have been used
    p_status        integer,
    p_confirmation  bytea
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    the_bank bank;
    opened   delivery_session;
BEGIN
    SELECT * INTO the_bank FROM bank WHERE id = p_bank_id AND revision = p_bank_revision AND status = 'ACTIVE';
    IF NOT FOUND THEN
        RETURN 'stale';
    END IF;

    -- The cardholder first, as in a fetch: whoever locks both does so in one order.
    PERFORM FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
    SELECT * INTO opened FROM delivery_session
        WHERE id = p_session_id AND bank_id = p_bank_id AND unique_id = p_unique_id AND channel = p_channel
            AND expires_at > p_now AND (channel = 'AC' OR token_mac = ANY (p_token_macs))
        FOR UPDATE;
    IF NOT FOUND OR opened.notified_status <> p_status THEN
        RETURN 'no-session';
    END IF;
    IF opened.confirmations[p_status + 1] <> p_confirmation THEN
        RETURN 'wrong-hash';
    END IF;
    IF opened.notified_status IS NOT NULL THEN
        RETURN 'confirmed';
    END IF;

    UPDATE delivery_session SET notified_status = p_status WHERE id = p_session_id;
    IF p_status = 0 THEN
        UPDATE cardholder SET
            delivered_at = p_now,
            unconfirmed_fetches = 0,
            pin_expires_at = NULL,
            sealed_pin = CASE WHEN the_bank.retention = 'erase' THEN NULL ELSE sealed_pin END
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id AND pin_serial = opened.pin_serial;
    END IF;
    RETURN 'confirmed';
END
$$;
