-- Events: what a bank's back-end is to learn, and how it is told.
--
-- An event is written in the transaction that it reports, with its cardholder's row locked: the ids of one cardholder's
-- events are in the order in which they happened.

CREATE TABLE event (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Where it is among its bank's events for a reader of all of them, who goes on behind the last one that he has seen.
    -- Ids do not do for that: a transaction that ends later may hold a lower one.
    position    bigint,
    bank_id     identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    unique_id   identifier NOT NULL,
    type        text NOT NULL CHECK (type IN
        ('pin.delivered', 'pin.delivery-failed', 'pin.delivery-unconfirmed', 'pin.defined', 'authentication.locked')),
    data        jsonb NOT NULL,
    occurred_at timestamptz NOT NULL
);

CREATE SEQUENCE event_position OWNED BY event.position;
CREATE UNIQUE INDEX event_in_order ON event (bank_id, position) WHERE position IS NOT NULL;
CREATE INDEX event_without_position ON event (bank_id, id) WHERE position IS NULL;
CREATE INDEX event_by_age ON event (occurred_at);

-- Gives a bank's new events their positions, at most p_limit. One caller at a time does so for a bank, and whoever comes
-- behind sees all that was numbered: so nothing can come in front of what a reader has seen.
CREATE FUNCTION number_events(p_bank_id text, p_limit integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM event WHERE bank_id = p_bank_id AND position IS NULL) THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('number_events ' || p_bank_id, 0));
    UPDATE event SET position = numbered.position
    FROM (
        SELECT id, nextval('event_position') AS position
        FROM (
            SELECT id FROM event WHERE bank_id = p_bank_id AND position IS NULL ORDER BY id LIMIT p_limit
        ) AS unnumbered
    ) AS numbered
    WHERE event.id = numbered.id;
END
$$;

-- Where a bank wants to be told of its events. One URL a bank.
CREATE TABLE webhook (
    bank_id    identifier PRIMARY KEY REFERENCES bank ON DELETE CASCADE,
    url        text NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
    -- Whether the URL may lead into a private network.
    is_private boolean NOT NULL,
    status     text NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
    created_at timestamptz NOT NULL
);

-- An event that is to be told: pending until the bank has answered 2xx, parked when it was tried for too long.
CREATE TABLE webhook_delivery (
    event_id         bigint PRIMARY KEY REFERENCES event ON DELETE CASCADE,
    bank_id          identifier NOT NULL,
    unique_id        identifier NOT NULL,
    status           text NOT NULL CHECK (status IN ('PENDING', 'DELIVERED', 'PARKED')),
    attempts         integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    pending_since    timestamptz NOT NULL,
    next_attempt_at  timestamptz NOT NULL,
    -- A server that tries holds the delivery until then; if it dies, another one takes it.
    leased_until     timestamptz,
    last_error       text CHECK (length(last_error) <= 500)
);

CREATE INDEX webhook_delivery_due ON webhook_delivery (bank_id, next_attempt_at) WHERE status = 'PENDING';
CREATE INDEX webhook_delivery_in_order ON webhook_delivery (bank_id, unique_id, event_id) WHERE status = 'PENDING';

CREATE FUNCTION enqueue_webhook() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Behind one that waits to be tried again it waits as well.
    INSERT INTO webhook_delivery (event_id, bank_id, unique_id, status, pending_since, next_attempt_at)
        SELECT NEW.id, NEW.bank_id, NEW.unique_id, 'PENDING', NEW.occurred_at, greatest(NEW.occurred_at, (
            SELECT max(next_attempt_at) FROM webhook_delivery
            WHERE bank_id = NEW.bank_id AND unique_id = NEW.unique_id AND status = 'PENDING'))
        FROM webhook WHERE bank_id = NEW.bank_id AND status = 'ACTIVE';
    RETURN NULL;
END
$$;

CREATE TRIGGER event_webhook AFTER INSERT ON event FOR EACH ROW EXECUTE FUNCTION enqueue_webhook();

-- The server signs what it tells: a third kind of key.
ALTER TABLE server_key
    DROP CONSTRAINT server_key_kind_check,
    ADD CONSTRAINT server_key_kind_check CHECK (kind IN ('RSA', 'EC', 'SIGNING'));

-- A PIN that waits for its delivery expires; one that was delivered may, as define_pin has it below.
ALTER TABLE cardholder
    DROP CONSTRAINT an_undelivered_pin_expires,
    ADD CONSTRAINT an_undelivered_pin_expires CHECK (
        (pin_expires_at IS NOT NULL OR sealed_pin IS NULL OR delivered_at IS NOT NULL)
        AND (pin_expires_at IS NULL OR sealed_pin IS NOT NULL));

-- The functions of 0002 and 0003 once more, now with the events of what they do.

CREATE OR REPLACE FUNCTION fetch_pin(
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
            IF holder.authentication_failures + 1 = the_bank.retry_limit THEN
                INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
                    VALUES (p_bank_id, p_unique_id, 'authentication.locked', '{}', p_now);
            END IF;
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

CREATE OR REPLACE FUNCTION notify_delivery(
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
    INSERT INTO event (bank_id, unique_id, type, data, occurred_at) VALUES (
        p_bank_id, p_unique_id, CASE p_status WHEN 0 THEN 'pin.delivered' ELSE 'pin.delivery-failed' END,
        jsonb_build_object('sessionId', p_session_id, 'channel', p_channel, 'status', p_status), p_now);
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

DROP FUNCTION define_pin(
    timestamptz, text, bigint, text, text, timestamptz, bytea, timestamptz, text, text, bytea);

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
    p_sealed_pin             bytea,       -- 'indexes': null where they are no PIN that the bank allows
    p_pin_for_bank           text         -- the PIN sealed to the bank's encryption certificate, where it has one
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
        -- A bank that keeps no PIN keeps none that was defined either.
        pin_expires_at = CASE
            WHEN the_bank.definition_resets_delivery OR delivered_at IS NULL OR the_bank.retention = 'erase'
            THEN p_now + make_interval(days => the_bank.undelivered_lifetime_days) END,
        definition_day = today,
        definition_count = CASE WHEN holder.definition_day = today THEN holder.definition_count + 1 ELSE 1 END
    WHERE bank_id = p_bank_id AND unique_id = p_unique_id;
    INSERT INTO event (bank_id, unique_id, type, data, occurred_at) VALUES (
        p_bank_id, p_unique_id, 'pin.defined', jsonb_strip_nulls(jsonb_build_object('pin', p_pin_for_bank)), p_now);
    RETURN 'defined';
END
$$;
