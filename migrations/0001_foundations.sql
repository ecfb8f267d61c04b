-- Banks, their keys and certificates, their cardholders, and the keys of the server itself.
--
-- Rules on state stand here as constraints, so that no path of the program can break them. Whatever is secret is sealed
-- under a data key before it comes here (columns named sealed…); authentication codes are kept as a keyed MAC only.
-- Times come from the server's clock as parameters, never from the database's.

CREATE DOMAIN identifier AS text
    CHECK (length(VALUE) BETWEEN 1 AND 64 AND VALUE !~ '[[:cntrl:]]');

CREATE TABLE bank (
    id                          identifier PRIMARY KEY,
    name                        text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    programme                   identifier NOT NULL,
    scheme                      text NOT NULL CHECK (scheme IN ('CB', 'PCI-CPP')),
    status                      text NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
    timestamp_tolerance_seconds integer NOT NULL CHECK (timestamp_tolerance_seconds BETWEEN 1 AND 3600),
    session_lifetime_seconds    integer NOT NULL CHECK (session_lifetime_seconds BETWEEN 30 AND 86400),
    retention                   text NOT NULL CHECK (retention IN ('erase', 'keep', 'keep-repeat')),
    reminders                   boolean NOT NULL,
    undelivered_lifetime_days   integer NOT NULL CHECK (undelivered_lifetime_days BETWEEN 1 AND 3650),
    retry_limit                 integer NOT NULL CHECK (retry_limit BETWEEN 1 AND 20),
    fetch_limit                 integer NOT NULL CHECK (fetch_limit BETWEEN 1 AND 100),
    pin_minimum_length          integer NOT NULL CHECK (pin_minimum_length BETWEEN 4 AND 12),
    pin_maximum_length          integer NOT NULL CHECK (pin_maximum_length BETWEEN pin_minimum_length AND 12),
    code_alphabet               text NOT NULL CHECK (code_alphabet IN ('digits', 'alphanumeric', 'printable')),
    code_minimum_length         integer NOT NULL CHECK (code_minimum_length BETWEEN 4 AND 64),
    code_maximum_length         integer NOT NULL CHECK (code_maximum_length BETWEEN code_minimum_length AND 64),
    delivery_format             text NOT NULL CHECK (delivery_format IN ('captcha', 'digits')),
    uniform_errors              boolean NOT NULL,
    -- Grows with every change of the bank, its keys or its certificates: a server that judged with an older revision
    -- judges again.
    revision                    bigint NOT NULL DEFAULT 1,
    created_at                  timestamptz NOT NULL
);

-- The cardholder of another bank of the same programme is told apart from an unknown one (code 308).
CREATE INDEX bank_by_programme ON bank (programme);

CREATE TABLE hmac_key (
    bank_id    identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    label      identifier NOT NULL,
    kcv        text NOT NULL CHECK (kcv ~ '^[0-9A-F]{6}$'),
    sealed_key bytea NOT NULL,
    status     text NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (bank_id, label)
);

CREATE TABLE certificate (
    bank_id     identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    alias       identifier NOT NULL,
    der         bytea NOT NULL,
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
    subject     text NOT NULL,
    not_before  timestamptz NOT NULL,
    not_after   timestamptz NOT NULL CHECK (not_after > not_before),
    is_default  boolean NOT NULL,
    status      text NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (bank_id, alias)
);

CREATE UNIQUE INDEX certificate_one_default ON certificate (bank_id) WHERE is_default;

CREATE FUNCTION advance_bank_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'bank' THEN
        NEW.revision := OLD.revision + 1;
        RETURN NEW;
    END IF;
    UPDATE bank SET revision = revision WHERE id IN (NEW.bank_id, OLD.bank_id);
    RETURN NULL;
END
$$;

CREATE TRIGGER bank_revision BEFORE UPDATE ON bank
    FOR EACH ROW EXECUTE FUNCTION advance_bank_revision();
CREATE TRIGGER hmac_key_revision AFTER INSERT OR UPDATE OR DELETE ON hmac_key
    FOR EACH ROW EXECUTE FUNCTION advance_bank_revision();
CREATE TRIGGER certificate_revision AFTER INSERT OR UPDATE OR DELETE ON certificate
    FOR EACH ROW EXECUTE FUNCTION advance_bank_revision();

CREATE TABLE cardholder (
    bank_id                 identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    unique_id               identifier NOT NULL,
    status                  text NOT NULL CHECK (status IN ('ACTIVE', 'SUSPENDED', 'CLOSED')),
    channels                text[] NOT NULL CHECK (channels <@ ARRAY['AC', 'TOKEN']),
    -- Key id and MAC of the authentication code; null where there is none.
    code_mac                bytea,
    authentication_failures integer NOT NULL DEFAULT 0 CHECK (authentication_failures >= 0),
    sealed_free_field       bytea,
    sealed_pin              bytea,
    -- Counts the PINs that this cardholder has had: a notify confirms the PIN that its fetch delivered, no later one.
    pin_serial              bigint NOT NULL DEFAULT 0 CHECK (pin_serial >= 0),
    -- When a PIN that was never confirmed is erased.
    pin_expires_at          timestamptz,
    delivered_at            timestamptz,
    unconfirmed_fetches     integer NOT NULL DEFAULT 0 CHECK (unconfirmed_fetches >= 0),
    version                 bigint NOT NULL DEFAULT 1,
    created_at              timestamptz NOT NULL,
    updated_at              timestamptz NOT NULL,
    PRIMARY KEY (bank_id, unique_id),
    CONSTRAINT a_pin_has_a_serial CHECK (sealed_pin IS NULL OR pin_serial > 0),
    CONSTRAINT a_delivery_had_a_pin CHECK (delivered_at IS NULL OR pin_serial > 0),
    CONSTRAINT an_undelivered_pin_expires
        CHECK ((pin_expires_at IS NOT NULL) = (sealed_pin IS NOT NULL AND delivered_at IS NULL))
);

CREATE INDEX cardholder_by_unique_id ON cardholder (unique_id);
CREATE INDEX cardholder_by_pin_expiry ON cardholder (pin_expires_at) WHERE pin_expires_at IS NOT NULL;

-- Keys that seal and authenticate what is secret in this database, each wrapped by the master key in the vault.
CREATE TABLE data_key (
    id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    purpose       text NOT NULL CHECK (purpose IN ('seal', 'authenticate')),
    wrapped_key   bytea NOT NULL,
    master_key_id text NOT NULL,
    status        text NOT NULL CHECK (status IN ('ACTIVE', 'RETIRED')),
    created_at    timestamptz NOT NULL
);

CREATE UNIQUE INDEX data_key_one_active ON data_key (purpose) WHERE status = 'ACTIVE';

-- The server's own encryption keys, published at /.well-known/jwks.json.
CREATE TABLE server_key (
    key_id      text PRIMARY KEY,
    kind        text NOT NULL CHECK (kind IN ('RSA', 'EC')),
    sealed_key  bytea NOT NULL,
    status      text NOT NULL CHECK (status IN ('ACTIVE', 'RETIRED')),
    created_at  timestamptz NOT NULL
);

CREATE UNIQUE INDEX server_key_one_active ON server_key (kind) WHERE status = 'ACTIVE';
