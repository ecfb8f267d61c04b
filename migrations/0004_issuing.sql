-- What a bank's back-end uses: its keys, its calls, and imports of many cardholders.

-- A certificate may also be one that the server seals to (a PIN that a cardholder has defined), or one that the bank's
-- back-end shows when it connects.
ALTER TABLE certificate
    ADD COLUMN purpose text NOT NULL DEFAULT 'signature' CHECK (purpose IN ('signature', 'encryption', 'client'));
DROP INDEX certificate_one_default;
CREATE UNIQUE INDEX certificate_one_default ON certificate (bank_id, purpose) WHERE is_default;

-- Keys that a back-end signs its calls with (RFC 9421). A name is given once, so that a key tells its bank.
CREATE TABLE issuer_key (
    key_id        identifier PRIMARY KEY,
    bank_id       identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    algorithm     text NOT NULL CHECK (algorithm IN
        ('ecdsa-p256-sha256', 'ed25519', 'rsa-pss-sha512', 'rsa-v1_5-sha256', 'hmac-sha256')),
    public_key    bytea,
    sealed_secret bytea,
    status        text NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
    created_at    timestamptz NOT NULL,
    CONSTRAINT a_key_is_public_or_sealed CHECK (
        (algorithm = 'hmac-sha256') = (sealed_secret IS NOT NULL) AND (public_key IS NULL) = (sealed_secret IS NOT NULL))
);

CREATE INDEX issuer_key_by_bank ON issuer_key (bank_id);

-- Nonces of signed calls, until their signatures are too old.
CREATE TABLE spent_nonce (
    key_id     identifier NOT NULL REFERENCES issuer_key ON DELETE CASCADE,
    nonce      text NOT NULL CHECK (length(nonce) BETWEEN 1 AND 128),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (key_id, nonce)
);

CREATE INDEX spent_nonce_by_expiry ON spent_nonce (expires_at);

-- Answers to calls with an Idempotency-Key; without a status the call is being served.
CREATE TABLE idempotent_answer (
    bank_id         identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    idempotency_key text NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 128),
    -- A MAC of method, path and body.
    request_mac     bytea NOT NULL,
    status          integer CHECK (status BETWEEN 200 AND 599),
    etag            text,
    content_type    text,
    body            bytea,
    begun_at        timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    PRIMARY KEY (bank_id, idempotency_key)
);

CREATE INDEX idempotent_answer_by_expiry ON idempotent_answer (expires_at);

-- A MAC of the text that a cardholder was last provisioned from: the same again changes nothing. Keyed, for who reads it
-- shall not be able to try texts out.
ALTER TABLE cardholder ADD COLUMN provision_mac bytea;

-- Lines of an import that are not yet the cardholders': the whole is authenticated by a digest at its end. They need not
-- outlive a crash: the import is sent again.
CREATE UNLOGGED TABLE import_line (
    import_id         text NOT NULL,
    line              bigint NOT NULL CHECK (line > 0),
    bank_id           identifier NOT NULL,
    unique_id         identifier NOT NULL,
    status            text NOT NULL,
    channels          text NOT NULL,
    code_mac          bytea NOT NULL,
    sealed_pin        bytea NOT NULL,
    sealed_free_field bytea NOT NULL,
    provision_mac     bytea NOT NULL,
    staged_at         timestamptz NOT NULL,
    PRIMARY KEY (import_id, line)
);

-- Statistics of imports that are over would tell the planner that this one has a line or none.
ALTER TABLE import_line ALTER COLUMN import_id SET STATISTICS 0;

CREATE INDEX import_line_by_cardholder ON import_line (import_id, unique_id, line);
CREATE INDEX import_line_by_age ON import_line (staged_at);

-- Versions are of one sequence, so that an ETag of a cardholder who was erased is none of one who comes after.
CREATE SEQUENCE cardholder_version OWNED BY cardholder.version;
SELECT setval('cardholder_version', max(version)) FROM cardholder HAVING count(*) > 0;
ALTER TABLE cardholder ALTER COLUMN version SET DEFAULT nextval('cardholder_version');

-- Creates or replaces one cardholder. The versions are those of ETag, If-Match and If-None-Match.
CREATE FUNCTION put_cardholder(
    p_now               timestamptz,
    p_bank_id           text,
    p_unique_id         text,
    p_status            text,
    p_channels          text[],
    p_code_mac          bytea,
    p_sealed_pin        bytea,
    p_sealed_free_field bytea,
    p_provision_mac     bytea,
    p_if_version        bigint,  -- null: any
    p_must_exist        boolean, -- If-Match: *
    p_must_not_exist    boolean, -- If-None-Match: *
    OUT outcome text,
    OUT version bigint
) LANGUAGE plpgsql AS $$
DECLARE
    holder     cardholder;
    expires_at timestamptz;
BEGIN
    SELECT CASE WHEN p_sealed_pin IS NOT NULL THEN p_now + make_interval(days => undelivered_lifetime_days) END
        INTO expires_at FROM bank WHERE id = p_bank_id;
    -- Who was there a moment ago may have been erased since: then there is room again.
    LOOP
        INSERT INTO cardholder
            (bank_id, unique_id, status, channels, code_mac, sealed_free_field, sealed_pin, pin_serial, pin_expires_at,
            provision_mac, created_at, updated_at)
            SELECT p_bank_id, p_unique_id, p_status, p_channels, p_code_mac, p_sealed_free_field, p_sealed_pin,
                (p_sealed_pin IS NOT NULL)::integer, expires_at, p_provision_mac, p_now, p_now
            WHERE p_if_version IS NULL AND NOT p_must_exist
            ON CONFLICT DO NOTHING
            RETURNING cardholder.version INTO version;
        IF FOUND THEN
            outcome := 'created';
            RETURN;
        END IF;

        SELECT * INTO holder FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
        EXIT WHEN FOUND OR p_must_exist OR p_if_version IS NOT NULL;
    END LOOP;
    IF p_must_not_exist OR holder.unique_id IS NULL OR (p_if_version IS NOT NULL AND holder.version <> p_if_version) THEN
        outcome := 'precondition-failed';
        RETURN;
    END IF;
    outcome := 'replaced';
    version := holder.version;
    IF holder.provision_mac = p_provision_mac THEN
        RETURN;
    END IF;
    UPDATE cardholder SET
        status = p_status,
        channels = p_channels,
        code_mac = p_code_mac,
        authentication_failures = 0,
        sealed_free_field = p_sealed_free_field,
        sealed_pin = p_sealed_pin,
        pin_serial = pin_serial + (p_sealed_pin IS NOT NULL)::integer,
        pin_expires_at = expires_at,
        delivered_at = NULL,
        unconfirmed_fetches = 0,
        version = nextval('cardholder_version'),
        provision_mac = p_provision_mac,
        updated_at = p_now
    WHERE bank_id = p_bank_id AND unique_id = p_unique_id
    RETURNING cardholder.version INTO version;
END
$$;
