-- Every table of the first release.
--
-- Rules about state are constraints too, so that no code path can break them. Secrets are sealed under a data key before
-- they are stored (columns named sealed_…); authentication codes and tokens are stored as keyed MACs. Times come from the
-- server's clock as parameters, never from the database's clock.
--
-- Every key starts with bank_id, so that the schema can be distributed by bank. Tables of the installation (data_key,
-- resealing, server_key, seal_key, issuer_key_owner, key_identity, approval) are the exception. Tables that are written at
-- each request have no foreign key to bank, because each insert would lock the bank's row.

-- The name of a bank, a cardholder or a key, compared by byte. The program checks its form when it reads a request.
CREATE DOMAIN identifier AS text COLLATE "C";

-- Rules about one column of a table that each request writes are rules of its type. PostgreSQL parses the CHECK constraints of
-- a table again for each statement that writes a row, also those of columns that do not change, which took a third of the
-- time of a definition. It prepares the rules of a type once per connection.
CREATE DOMAIN counter AS integer CHECK (VALUE >= 0);
CREATE DOMAIN serial_number AS bigint CHECK (VALUE >= 0);
CREATE DOMAIN cardholder_id AS text COLLATE "C" CHECK (length(VALUE) BETWEEN 1 AND 64);
CREATE DOMAIN cardholder_status AS text COLLATE "C" CHECK (VALUE IN ('ACTIVE', 'SUSPENDED', 'CLOSED'));
CREATE DOMAIN accessibility AS text COLLATE "C" CHECK (VALUE IN ('calm', 'text'));
CREATE DOMAIN channel AS text COLLATE "C" CHECK (VALUE IN ('AC', 'TOKEN'));
CREATE DOMAIN channels AS text[] CHECK (VALUE <@ ARRAY['AC', 'TOKEN']);
CREATE DOMAIN entry_number AS bigint CHECK (VALUE > 0);
CREATE DOMAIN entry_hash AS bytea CHECK (length(VALUE) = 32);
-- As row_change makes them, one after the other.
CREATE DOMAIN row_changes AS bytea CHECK (length(VALUE) > 0 AND length(VALUE) % 48 = 0);
-- Digests of the last provisioned PINs, the newest last.
CREATE DOMAIN taken_pins AS bytea[] CHECK (cardinality(VALUE) <= 20);
-- The first 16 bytes of a SHA-256.
CREATE DOMAIN spent_digest AS bytea CHECK (length(VALUE) = 16);
CREATE DOMAIN proof_kind AS text COLLATE "C" CHECK (VALUE IN ('definition', 'hmac', 'keypad', 'nonce'));
CREATE DOMAIN session_id AS text COLLATE "C" CHECK (length(VALUE) BETWEEN 22 AND 64);
-- For status 0, 1 and 2: SHA-256 of the only right notify hash, which cannot be computed from it.
CREATE DOMAIN confirmations AS bytea[] CHECK (cardinality(VALUE) = 3);
CREATE DOMAIN notify_status AS smallint CHECK (VALUE BETWEEN 0 AND 2);
CREATE DOMAIN event_type AS text COLLATE "C" CHECK (VALUE IN
    ('pin.delivered', 'pin.delivery-failed', 'pin.delivery-unconfirmed', 'pin.defined', 'pin.expired',
    'authentication.locked', 'certificate.expiring', 'revocation-list.expiring', 'identity.checked', 'audit.sealed'));
CREATE DOMAIN public_event_id AS text COLLATE "C" CHECK (length(VALUE) = 22);

-- Banks, their keys and their certificates.

CREATE TABLE bank (
    bank_id           identifier PRIMARY KEY CHECK (length(bank_id) BETWEEN 1 AND 64),
    status            text NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
    -- As in the settings: a request for a cardholder of another bank of the same programme has an answer of its own.
    programme         identifier NOT NULL CHECK (length(programme) BETWEEN 1 AND 64),
    -- What an operator has set: one line per setting. A server checks each value, and does not serve a bank with a setting that
    -- it does not know. Functions get rules as parameters, from the settings that the server has checked, and read none here.
    settings          text NOT NULL,
    settings_digest   bytea NOT NULL,
    -- The settings and the status that two operators have approved, as text; null if none have. With dual control, a server
    -- accepts a bank whose settings are these or tighter.
    approved_settings text,
    -- Requests with an earlier time are refused: the database was restored then, and does not know which were served before.
    requests_from     timestamptz,
    -- Grows with every change of the bank, its keys or its certificates. A server that authenticated a request with an
    -- older revision authenticates it again.
    revision          bigint NOT NULL DEFAULT 1,
    created_at        timestamptz NOT NULL,
    CONSTRAINT the_programme_is_in_the_settings CHECK
        (strpos(settings, E'\nprogramme=' || replace(programme, '\', '\u{5c}') || E'\n') > 0),
    CONSTRAINT the_digest_is_of_the_settings CHECK (settings_digest = sha256(convert_to(settings, 'UTF8')))
);

-- Code 308: the cardholder belongs to another bank of the same programme.
CREATE INDEX bank_by_programme ON bank (programme);

-- The name of each key of a bank, of any kind, and key id and MAC of what the key computes. No two rows, of one bank or of
-- two, have the same key: if one were disabled, the other would still be valid.
CREATE TABLE key_identity (
    key_mac bytea PRIMARY KEY,
    bank_id identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    label   identifier NOT NULL,
    UNIQUE (bank_id, label)
);

CREATE TABLE hmac_key (
    bank_id    identifier NOT NULL,
    label      identifier NOT NULL,
    kcv        text NOT NULL CHECK (kcv ~ '^[0-9A-F]{6}$'),
    -- A hashMac of one usage must not serve the other: what a bank hands out for a fetch must not define a PIN.
    usage      text NOT NULL CHECK (usage IN ('distribution', 'definition', 'both')),
    sealed_key bytea NOT NULL,
    status     text NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (bank_id, label),
    FOREIGN KEY (bank_id, label) REFERENCES key_identity (bank_id, label) ON DELETE CASCADE
);

-- Keys of Triple DES and AES: for PIN blocks, and for the key blocks that other keys come in.
CREATE TABLE bank_key (
    bank_id    identifier NOT NULL,
    label      identifier NOT NULL,
    usage      text NOT NULL CHECK (usage IN ('pin-encryption', 'key-block')),
    algorithm  text NOT NULL CHECK (algorithm IN ('tdes', 'aes')),
    direction  text NOT NULL CHECK (direction IN ('decrypt', 'encrypt', 'both')),
    -- Three bytes of an encrypted zero block for Triple DES, five of a CMAC for AES.
    kcv        text NOT NULL CHECK (kcv ~ CASE algorithm WHEN 'tdes' THEN '^[0-9A-F]{6}$' ELSE '^[0-9A-F]{10}$' END),
    sealed_key bytea NOT NULL,
    status     text NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (bank_id, label),
    FOREIGN KEY (bank_id, label) REFERENCES key_identity (bank_id, label) ON DELETE CASCADE
);

-- A key that custodians enter in components. It becomes a key when all are there and a second operator has confirmed it.
CREATE TABLE key_import (
    bank_id         identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    label           identifier NOT NULL,
    usage           text NOT NULL CHECK (usage IN ('distribution', 'definition', 'both', 'pin-encryption', 'key-block')),
    algorithm       text NOT NULL CHECK (algorithm IN ('hmac', 'tdes', 'aes')),
    direction       text CHECK (direction IN ('decrypt', 'encrypt', 'both')),
    component_count integer NOT NULL CHECK (component_count BETWEEN 2 AND 3),
    -- The operator who entered the first component.
    begun_by        text NOT NULL,
    expires_at      timestamptz NOT NULL,
    PRIMARY KEY (bank_id, label),
    CONSTRAINT usage_and_algorithm_belong_together
        CHECK ((algorithm = 'hmac') = (usage IN ('distribution', 'definition', 'both'))),
    CONSTRAINT only_an_hmac_key_has_no_direction CHECK ((algorithm = 'hmac') = (direction IS NULL))
);

CREATE INDEX key_import_expiry ON key_import (expires_at);

-- Sealed until the key is complete, for a day at most.
CREATE TABLE key_component (
    bank_id          identifier NOT NULL,
    label            identifier NOT NULL,
    number           integer NOT NULL CHECK (number BETWEEN 1 AND 3),
    sealed_component bytea NOT NULL,
    -- The custodian, by their login on the machine.
    entered_by       text NOT NULL,
    PRIMARY KEY (bank_id, label, number),
    FOREIGN KEY (bank_id, label) REFERENCES key_import ON DELETE CASCADE
);

CREATE TABLE certificate (
    bank_id     identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    alias       identifier NOT NULL,
    -- signature: verifies tokens. encryption: defined PINs are sealed to it. client: the back-end's TLS certificate.
    -- identity: results of document verifications are sealed to it.
    purpose     text NOT NULL CHECK (purpose IN ('signature', 'encryption', 'client', 'identity')),
    der         bytea NOT NULL,
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
    subject     text NOT NULL,
    -- Who issued it (RFC 2253), and its serial number (DER): a revocation list names it by both.
    issuer      text COLLATE "C" NOT NULL,
    serial      bytea NOT NULL,
    not_before  timestamptz NOT NULL,
    not_after   timestamptz NOT NULL CHECK (not_after > not_before),
    is_default  boolean NOT NULL,
    status      text NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
    -- The smallest number of days before not_after that the bank has an event about; null if it has none.
    noticed_days smallint,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (bank_id, alias)
);

CREATE UNIQUE INDEX certificate_one_default ON certificate (bank_id, purpose) WHERE is_default;

-- Revocation lists (CRLs) of the CAs that issued a bank's certificates. A certificate of an issuer that has one is refused if
-- the list names it, and when the list has expired.
CREATE TABLE revocation_list (
    bank_id     identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    issuer      text COLLATE "C" NOT NULL,
    this_update timestamptz NOT NULL,
    -- The CRL number, padded, so that of two lists of one second the newer one counts; null if there is none.
    number      bytea CHECK (length(number) = 20),
    next_update timestamptz NOT NULL CHECK (next_update > this_update),
    imported_at timestamptz NOT NULL,
    -- The smallest number of days before next_update that the bank has an event about; null if it has none.
    noticed_days smallint,
    PRIMARY KEY (bank_id, issuer)
);

CREATE TABLE revoked_certificate (
    bank_id identifier NOT NULL,
    issuer  text COLLATE "C" NOT NULL,
    serial  bytea NOT NULL,
    PRIMARY KEY (bank_id, issuer, serial),
    FOREIGN KEY (bank_id, issuer) REFERENCES revocation_list ON DELETE CASCADE
);

-- Keys that a back-end signs its calls with (RFC 9421).
CREATE TABLE issuer_key (
    bank_id       identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    key_id        identifier NOT NULL,
    algorithm     text NOT NULL CHECK (algorithm IN
        ('ecdsa-p256-sha256', 'ed25519', 'rsa-pss-sha512', 'rsa-v1_5-sha256', 'hmac-sha256')),
    public_key    bytea,
    sealed_secret bytea,
    status        text NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
    created_at    timestamptz NOT NULL,
    PRIMARY KEY (bank_id, key_id),
    CONSTRAINT a_key_is_public_or_sealed CHECK (
        (algorithm = 'hmac-sha256') = (sealed_secret IS NOT NULL) AND (public_key IS NULL) = (sealed_secret IS NOT NULL))
);

-- A call names its key. This table says which bank the key belongs to; no two banks have a key of the same name.
CREATE TABLE issuer_key_owner (
    key_id  identifier PRIMARY KEY,
    bank_id identifier NOT NULL,
    FOREIGN KEY (bank_id, key_id) REFERENCES issuer_key ON DELETE CASCADE
);

-- Cardholders and their PINs.

-- What the audit trail calls rows of cardholders and their passes. No two rows of both tables ever have the same number.
CREATE SEQUENCE audited_row;

-- An ETag is a version. One sequence for all, so that a cardholder who was erased and comes back has no old ETag.
CREATE SEQUENCE cardholder_version;

-- No index has a column that a fetch, a notify or a definition changes, and pages keep room, so that these updates are HOT.
CREATE TABLE cardholder (
    bank_id                 identifier NOT NULL,
    unique_id               cardholder_id NOT NULL,
    -- What the audit trail calls this row, and how many changes it has had. Each change has an entry there.
    row_id                  bigint NOT NULL DEFAULT nextval('audited_row'),
    changes                 serial_number NOT NULL DEFAULT 1,
    status                  cardholder_status NOT NULL,
    channels                channels NOT NULL,
    -- Whether the cardholder can define a PIN, if the bank allows it.
    definition              boolean NOT NULL,
    -- How a cardholder who cannot read the usual images gets the PIN; null for all others.
    accessibility           accessibility,
    -- Key id and MAC of the authentication code; null if there is no code.
    code_mac                bytea,
    authentication_failures counter NOT NULL,
    sealed_free_field       bytea,
    -- Key id and MAC of the free field: tells whether the bank has sent another one.
    free_field_mac          bytea,
    sealed_pin              bytea,
    -- Counts the PINs that this cardholder has had. A notify confirms the PIN that its fetch delivered, not a later one.
    pin_serial              serial_number NOT NULL,
    -- The bank's own number of the PIN that it last provisioned with one. It outlives the PIN.
    pin_version             serial_number,
    -- Digests of the last provisioned PINs as they were sent. A PIN is taken once: what the bank sends again does not bring
    -- back a PIN that has been erased or replaced since.
    taken_pins              taken_pins NOT NULL,
    -- When an unconfirmed PIN is erased. pin_expiry has a row for it.
    pin_expires_at          timestamptz,
    delivered_at            timestamptz,
    unconfirmed_fetches     counter NOT NULL,
    -- The day (UTC) of the last definition, and the number of definitions on that day.
    definition_day          date,
    definition_count        counter NOT NULL DEFAULT 0,
    -- Changes with everything that is shown of the cardholder, and with everything that happens to the PIN.
    version                 bigint NOT NULL,
    created_at              timestamptz NOT NULL,
    updated_at              timestamptz NOT NULL,
    PRIMARY KEY (bank_id, unique_id),
    -- One constraint, for the reason above. Without a PIN nothing expires, and a delivery had a PIN. A PIN has a serial, and
    -- expires until it is delivered. A closed cardholder has neither a PIN nor a code.
    CONSTRAINT the_state_is_possible CHECK (
        CASE WHEN sealed_pin IS NULL
            THEN pin_expires_at IS NULL AND (delivered_at IS NULL OR pin_serial > 0)
            ELSE pin_serial > 0 AND status <> 'CLOSED' AND (pin_expires_at IS NOT NULL OR delivered_at IS NOT NULL)
        END AND (code_mac IS NULL OR status <> 'CLOSED'))
) WITH (fillfactor = 85);

CREATE INDEX cardholder_by_unique_id ON cardholder (unique_id);

-- When housekeeping must check a cardholder's PIN. A row can be out of date: cardholder.pin_expires_at decides.
CREATE TABLE pin_expiry (
    bank_id    identifier NOT NULL,
    unique_id  identifier NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (bank_id, unique_id, expires_at),
    FOREIGN KEY (bank_id, unique_id) REFERENCES cardholder ON DELETE CASCADE
);

CREATE INDEX pin_expiry_by_time ON pin_expiry (expires_at);

-- Values that can be used only once.

-- IdTransactions of PIN distribution, for good.
CREATE TABLE spent_transaction (
    bank_id identifier NOT NULL,
    digest  spent_digest NOT NULL,
    PRIMARY KEY (bank_id, digest)
);

-- IdTransactions of PIN definition, hashMacs and keypads that led to a PIN, and nonces of signed calls, until their time
-- windows end.
CREATE TABLE spent_proof (
    bank_id    identifier NOT NULL,
    kind       proof_kind NOT NULL,
    digest     spent_digest NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (bank_id, kind, digest)
);

CREATE INDEX spent_proof_by_expiry ON spent_proof (expires_at);

-- PIN distribution: a delivery that waits for its notify, or has had it.
CREATE TABLE delivery_session (
    bank_id         identifier NOT NULL,
    session_id      session_id NOT NULL,
    unique_id       identifier NOT NULL,
    channel         channel NOT NULL,
    -- Key id and MAC of the token that fetched. A token notify must send the same token. Null for AC, and when the delivery of a
    -- PIN that is erased was confirmed: a token contains the code.
    token_mac       bytea,
    confirmations   confirmations NOT NULL,
    pin_serial      serial_number NOT NULL,
    opened_at       timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    notified_status notify_status,
    PRIMARY KEY (bank_id, session_id),
    FOREIGN KEY (bank_id, unique_id) REFERENCES cardholder ON DELETE CASCADE,
    CONSTRAINT a_session_has_a_life CHECK (expires_at > opened_at),
    CONSTRAINT only_a_token_session_has_a_token CHECK (channel = 'TOKEN' OR token_mac IS NULL)
);

CREATE INDEX delivery_session_by_cardholder ON delivery_session (bank_id, unique_id);
CREATE INDEX delivery_session_by_expiry ON delivery_session (expires_at);

-- Calls of back-ends.

-- What calls with an Idempotency-Key did. Written in the transaction of the change.
CREATE TABLE idempotent_answer (
    bank_id         identifier NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 128),
    -- A MAC of method, path, query, conditional headers and body.
    request_mac     bytea NOT NULL,
    outcome         text NOT NULL CHECK (outcome IN ('created', 'replaced', 'unchanged', 'deleted')),
    -- The cardholder's version after the change; null after a deletion.
    version         bigint,
    -- 'taken' or 'unchanged', if the call sent a PIN.
    pin             text CHECK (pin IN ('taken', 'unchanged')),
    expires_at      timestamptz NOT NULL,
    PRIMARY KEY (bank_id, idempotency_key)
);

CREATE INDEX idempotent_answer_by_expiry ON idempotent_answer (expires_at);

-- What to write of a cardholder. What is null or false stays as it is.
CREATE TYPE cardholder_change AS (
    creates           boolean, -- the cardholder can be new; then every part is given
    status            text,
    channels          text[],
    definition        boolean,
    sets_accessibility boolean,
    accessibility     text,    -- null: the cardholder reads the usual images
    sets_code         boolean,
    code_macs         bytea[], -- the active key's first, then those under older keys; null: the cardholder has no code
    sets_pin          boolean,
    pin_digest        bytea,   -- of the PIN as it was sent; null: the cardholder has no PIN
    sealed_pin        bytea,   -- null if the PIN that was sent does not open
    pin_version       bigint,
    sets_free_field   boolean,
    sealed_free_field bytea,   -- null: the cardholder has no free field
    free_field_macs   bytea[], -- as code_macs
    unlocks           boolean  -- forgets wrong codes and unconfirmed fetches
);

-- Staged lines of imports. Nothing is written to cardholder before the whole body has its digest. They need not survive a
-- crash: the client sends the import again.
CREATE UNLOGGED TABLE import_line (
    bank_id   identifier NOT NULL,
    import_id text COLLATE "C" NOT NULL,
    line      bigint NOT NULL CHECK (line > 0),
    unique_id identifier NOT NULL,
    -- Null: the line deletes the cardholder.
    change    cardholder_change,
    -- The cardholder's pseudonym in the audit trail.
    subject   bytea NOT NULL,
    -- Separated by U+001F.
    unknown_members text NOT NULL,
    staged_at timestamptz NOT NULL,
    PRIMARY KEY (bank_id, import_id, line)
);

-- Statistics about finished imports would mislead the planner about a new one.
ALTER TABLE import_line ALTER COLUMN import_id SET STATISTICS 0;

CREATE INDEX import_line_by_age ON import_line (staged_at);

-- Events, and where they are sent.

CREATE SEQUENCE event_id;
CREATE SEQUENCE event_position;

-- Written in the transaction that it reports, with the cardholder's row locked: the ids of one cardholder's events are in
-- the order in which they happened.
CREATE TABLE event (
    bank_id     identifier NOT NULL,
    event_id    bigint NOT NULL DEFAULT nextval('event_id'),
    -- The id that the bank sees. It is known before the event is written, because the JWE of a defined PIN names it.
    public_id   public_event_id NOT NULL DEFAULT
        rtrim(translate(encode(uuid_send(gen_random_uuid()), 'base64'), '+/', '-_'), '='),
    -- The order in which a reader of all the bank's events sees them; null until number_events has run. Ids do not serve
    -- for this: a transaction that commits later can have a lower id, and a reader would miss it.
    position    bigint,
    -- Null: the event is about the bank.
    unique_id   identifier,
    type        event_type NOT NULL,
    data        jsonb NOT NULL,
    occurred_at timestamptz NOT NULL,
    -- Whether the bank has said that it has the event. A pin.defined event is kept until then.
    acknowledged boolean NOT NULL DEFAULT false,
    PRIMARY KEY (bank_id, event_id),
    CONSTRAINT only_events_about_the_bank_have_no_cardholder CHECK (
        (unique_id IS NULL) = (type IN ('certificate.expiring', 'revocation-list.expiring', 'audit.sealed')))
);

CREATE UNIQUE INDEX event_in_order ON event (bank_id, position) WHERE position IS NOT NULL;
CREATE INDEX event_without_position ON event (bank_id, event_id) WHERE position IS NULL;
CREATE INDEX event_by_age ON event (occurred_at);
-- One newest seal of the audit trail per bank and day, whatever number of servers sends it.
CREATE UNIQUE INDEX one_audit_seal_per_day ON event (bank_id, (cast(occurred_at AT TIME ZONE 'UTC' AS date)))
    WHERE type = 'audit.sealed';
CREATE INDEX event_kept ON event (bank_id, position) WHERE type = 'pin.defined' AND NOT acknowledged;

-- How far a bank has read its events.
CREATE TABLE event_feed (
    bank_id    identifier PRIMARY KEY,
    -- The last position that was given to a reader.
    handed_out bigint NOT NULL,
    -- The last position of an event that was removed and not acknowledged; 0 if there is none.
    lost       bigint NOT NULL
);

-- The PINs of pin.defined events, sealed to the bank, until the bank acknowledges the event.
CREATE TABLE defined_pin (
    bank_id  identifier NOT NULL,
    event_id bigint NOT NULL,
    -- A JWE to the bank's encryption certificate.
    pin      text NOT NULL,
    PRIMARY KEY (bank_id, event_id),
    FOREIGN KEY (bank_id, event_id) REFERENCES event ON DELETE CASCADE
);

-- Where a bank's events are sent. One URL per bank.
CREATE TABLE webhook (
    bank_id    identifier PRIMARY KEY REFERENCES bank ON DELETE CASCADE,
    url        text NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
    -- Whether the URL may point into a private network.
    is_private boolean NOT NULL,
    -- Whether a 2xx acknowledges the event.
    acknowledges boolean NOT NULL,
    status     text NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
    created_at timestamptz NOT NULL
);

-- An event to send: pending until the bank answers 2xx, parked after too many days of attempts.
CREATE TABLE webhook_delivery (
    bank_id         identifier NOT NULL,
    event_id        bigint NOT NULL,
    -- Events of one cardholder are sent in their order. Empty for events about the bank.
    unique_id       identifier NOT NULL,
    status          text NOT NULL CHECK (status IN ('PENDING', 'DELIVERED', 'PARKED')),
    attempts        integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    pending_since   timestamptz NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    -- The end of a server's lease. If that server dies, another one then takes the delivery.
    leased_until    timestamptz,
    last_error      text CHECK (length(last_error) <= 500),
    PRIMARY KEY (bank_id, event_id),
    FOREIGN KEY (bank_id, event_id) REFERENCES event ON DELETE CASCADE
);

CREATE INDEX webhook_delivery_due ON webhook_delivery (bank_id, next_attempt_at) WHERE status = 'PENDING';
CREATE INDEX webhook_delivery_parked ON webhook_delivery (bank_id) WHERE status = 'PARKED';
CREATE INDEX webhook_delivery_in_order ON webhook_delivery (bank_id, unique_id, event_id) WHERE status = 'PENDING';

-- Keys of the installation.

-- Master keys, which wrap data keys. The keys themselves are in files and on tokens; the private half of a recovery key is
-- kept by custodians, in components.
CREATE TABLE master_key (
    -- A file's key: a MAC of a constant. A token's: its CKA_ID. A recovery key: a digest of its public half.
    id                text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[0-9a-f]{16,64}$'),
    kind              text NOT NULL CHECK (kind IN ('file', 'token', 'recovery')),
    -- Where it is, for operators: the file's path, or the token's label.
    name              text NOT NULL,
    -- Of a recovery key. It is sealed, so that a writer to the database cannot put another one in its place.
    sealed_public_key bytea,
    -- REPLACED: its wrappings are removed as soon as no running server uses them.
    status            text NOT NULL CHECK (status IN ('ACTIVE', 'REPLACED')),
    created_at        timestamptz NOT NULL,
    CONSTRAINT a_recovery_key_has_a_public_half CHECK ((kind = 'recovery') = (sealed_public_key IS NOT NULL))
);

CREATE UNIQUE INDEX master_key_one_recovery ON master_key (kind) WHERE kind = 'recovery' AND status = 'ACTIVE';

-- Keys that seal and authenticate the secrets of this database. New values are made with the newest key of a purpose whose
-- time has come. By then every server has it.
CREATE TABLE data_key (
    id            integer PRIMARY KEY CHECK (id > 0),
    purpose       text NOT NULL CHECK (purpose IN
        ('pins', 'codes', 'keypads', 'keys', 'free-fields', 'digests', 'audit')),
    -- The key before this one; null for the first one.
    replaces      integer REFERENCES data_key,
    -- USABLE: opens, and makes values while it is the newest. DISABLED: servers do not load it. COMPROMISED: opens values
    -- only to seal them anew. DESTROYED: nothing needs it any more, and its wrappings are gone.
    state         text NOT NULL CHECK (state IN ('USABLE', 'DISABLED', 'COMPROMISED', 'DESTROYED')),
    active_from   timestamptz NOT NULL,
    -- How many values were sealed with it, as far as servers have reported it.
    uses          bigint NOT NULL DEFAULT 0 CHECK (uses >= 0),
    created_at    timestamptz NOT NULL
);

-- A data key, wrapped by a master key. Each data key must have two wrappings: the loss of one master key then loses nothing.
CREATE TABLE data_key_wrapping (
    data_key_id   integer NOT NULL REFERENCES data_key,
    master_key_id text COLLATE "C" NOT NULL REFERENCES master_key,
    wrapped_key   bytea NOT NULL,
    created_at    timestamptz NOT NULL,
    PRIMARY KEY (data_key_id, master_key_id)
);

-- Which master key and which version of the inventory each running server uses.
CREATE TABLE server_vault (
    server_id         text COLLATE "C" PRIMARY KEY CHECK (length(server_id) BETWEEN 16 AND 64),
    -- For people: host and process id.
    server_name       text NOT NULL CHECK (length(server_name) BETWEEN 1 AND 300),
    master_key_id     text COLLATE "C" NOT NULL REFERENCES master_key,
    inventory_version bigint NOT NULL CHECK (inventory_version >= 0),
    seen_at           timestamptz NOT NULL
);

-- Each key has one successor, and each purpose one first key: two servers cannot both add one.
CREATE UNIQUE INDEX data_key_one_successor ON data_key (purpose, coalesce(replaces, 0));

-- How far the servers have come with sealing the values of a column with a newer data key.
CREATE TABLE resealing (
    sealed_column text PRIMARY KEY CHECK (sealed_column IN
        ('hmac_key.sealed_key', 'bank_key.sealed_key', 'issuer_key.sealed_secret', 'server_key.sealed_key',
        'server_key.sealed_public_key', 'cardholder.sealed_pin', 'cardholder.sealed_free_field', 'master_key.sealed_public_key',
        'seal_key.sealed_public_key', 'trust_list.sealed_digest')),
    -- The key that values get.
    data_key_id   integer NOT NULL REFERENCES data_key,
    -- The last row that is done.
    after_bank_id text COLLATE "C" NOT NULL,
    after_row_id  text COLLATE "C" NOT NULL,
    is_finished   boolean NOT NULL,
    -- The end of a server's lease. If that server dies, another one then goes on.
    leased_until  timestamptz NOT NULL
);

-- The server's own key pairs, published at /.well-known/jwks.json. New values are sealed to the active key of a kind. A
-- retiring key is still published and still opens values. A retired key is not published; for 90 days it opens what banks
-- provision, and then only its name is left, and of a signing key the public half.
CREATE TABLE server_key (
    key_id     text COLLATE "C" PRIMARY KEY,
    kind       text NOT NULL CHECK (kind IN ('RSA', 'EC', 'SIGNING')),
    sealed_key bytea,
    -- Of a signing key. Seals of the audit trail that it has signed still verify when it is erased. It is sealed, so that a
    -- writer to the database cannot add one.
    sealed_public_key bytea,
    status     text NOT NULL CHECK (status IN ('ACTIVE', 'RETIRING', 'RETIRED')),
    created_at timestamptz NOT NULL,
    demoted_at timestamptz,
    retired_at timestamptz,
    CONSTRAINT a_signing_key_has_a_public_half CHECK ((kind = 'SIGNING') = (sealed_public_key IS NOT NULL)),
    CONSTRAINT only_a_retired_key_is_erased CHECK (sealed_key IS NOT NULL OR status = 'RETIRED'),
    CONSTRAINT a_retired_key_has_its_time CHECK ((status = 'RETIRED') = (retired_at IS NOT NULL)),
    CONSTRAINT a_demoted_key_is_not_active CHECK ((status = 'ACTIVE') = (demoted_at IS NULL))
);

CREATE UNIQUE INDEX server_key_one_active ON server_key (kind) WHERE status = 'ACTIVE';

-- Public halves of the keys on tokens that sign seals of the audit trail. They are sealed, so that a writer to the database
-- cannot add one. They stay when their token is gone: seals that it has signed still verify.
CREATE TABLE seal_key (
    -- The key's thumbprint (RFC 7638).
    key_id            text COLLATE "C" PRIMARY KEY,
    sealed_public_key bytea NOT NULL,
    created_at        timestamptz NOT NULL
);

-- Approvals of two operators. Their keys are in the vault, so a writer to these tables cannot make one.

-- A change that one operator has signed, until another one does.
CREATE TABLE proposed_change (
    id            text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
    action        text NOT NULL,
    -- What is to be done: JSON. Secrets in it are sealed.
    change        bytea NOT NULL CHECK (length(change) <= 1048576),
    -- What is signed.
    statement     text NOT NULL,
    operator_name text NOT NULL,
    signature     bytea NOT NULL CHECK (length(signature) = 64),
    expires_at    timestamptz NOT NULL
);

CREATE TABLE approval (
    id               text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
    statement        text NOT NULL,
    first_operator   text NOT NULL,
    first_signature  bytea NOT NULL CHECK (length(first_signature) = 64),
    second_operator  text NOT NULL,
    second_signature bytea NOT NULL CHECK (length(second_signature) = 64),
    approved_at      timestamptz NOT NULL,
    CONSTRAINT two_operators_approve CHECK (first_operator <> second_operator)
);

-- The inventory: every object that servers rely on, with its digest and its approval (inventory.md). What is not in the newest
-- version does not count, whatever other tables have. A key that the vault has wrapped authenticates it, and the vault keeps number
-- and hash of the newest version, so a writer to this table can neither make a version nor go back to an older one.
CREATE TABLE inventory (
    version    bigint PRIMARY KEY CHECK (version > 0),
    contents   text NOT NULL,
    -- Key id and MAC of the version's hash.
    mac        bytea NOT NULL CHECK (length(mac) = 36),
    written_at timestamptz NOT NULL
);

-- The part of one bank. The version of the installation's inventory has its number and its hash.
CREATE TABLE bank_inventory (
    bank_id  identifier NOT NULL,
    version  bigint NOT NULL CHECK (version > 0),
    contents text NOT NULL,
    PRIMARY KEY (bank_id, version)
);

-- The audit trail: who did what, when, and how it ended. Rows are only added (append_audit). It has no foreign key: what it
-- says of a bank outlives the bank.
CREATE TABLE audit_entry (
    -- The process id of the connection that wrote it.
    chain_id    integer NOT NULL,
    sequence    entry_number NOT NULL,
    occurred_at timestamptz NOT NULL,
    operation   text NOT NULL,
    outcome     text NOT NULL,
    bank_id     text COLLATE "C",
    -- A keyed pseudonym of the cardholder.
    subject     bytea,
    actor       text NOT NULL,
    detail      text,
    -- The rows of cardholders and passes that were changed; null if there is none.
    rows        row_changes,
    hash        entry_hash NOT NULL,
    PRIMARY KEY (chain_id, sequence)
);

-- Entries come in the order of time, but for a few seconds: small ranges find the newest ones.
CREATE INDEX audit_entry_by_time ON audit_entry USING brin (occurred_at) WITH (autosummarize = on);
-- For an auditor who asks about one cardholder.
CREATE INDEX audit_entry_by_subject ON audit_entry (subject) WHERE subject IS NOT NULL;

-- Signed seals over the ends of all chains. Each covers the one before it.
CREATE TABLE audit_seal (
    number        bigint PRIMARY KEY CHECK (number > 0),
    -- A restored database opens a new one, and so does a trail that an operator has accepted although it is not the one that
    -- was known.
    epoch         integer NOT NULL CHECK (epoch > 0),
    -- closing: it closes the trail up to an earlier seal. What comes up to there is removed.
    kind          text NOT NULL CHECK (kind IN ('regular', 'epoch', 'closing')),
    sealed_at     timestamptz NOT NULL,
    -- Why an epoch was opened, or the trail was closed; empty for a regular seal.
    note          text NOT NULL,
    -- The ends that have changed since the seal before: chain, sequence, hash (4, 8 and 32 bytes each). Of a closing: the ends of
    -- all chains in what is closed.
    heads         bytea NOT NULL CHECK (length(heads) % 44 = 0),
    -- The entries that should have been in an earlier seal: chain, first and last sequence (4, 8 and 8 bytes each).
    late          bytea NOT NULL CHECK (length(late) % 20 = 0),
    -- Of a closing: the last seal of what is closed, and its hash. Of an epoch: the newest seal that was known, if the trail
    -- that goes on is not the one that was known.
    named_number  bigint,
    named_hash    bytea CHECK (length(named_hash) = 32),
    previous_hash bytea NOT NULL CHECK (length(previous_hash) IN (0, 32)),
    hash          bytea NOT NULL CHECK (length(hash) = 32),
    key_id        text COLLATE "C" NOT NULL,
    signature     bytea NOT NULL,
    CONSTRAINT a_seal_names_an_earlier_one CHECK (
        (named_number IS NULL) = (named_hash IS NULL) AND coalesce(named_number < number, true)
        AND CASE kind WHEN 'closing' THEN named_number IS NOT NULL WHEN 'regular' THEN named_number IS NULL ELSE true END)
);

-- The ends of the chains in the newest seal. A chain whose entries were all closed goes on from here.
CREATE TABLE audit_head (
    chain_id integer PRIMARY KEY,
    sequence bigint NOT NULL,
    hash     bytea NOT NULL
);

-- Verification of passports and identity cards (document 003): clients, checks, passes, and the certificates that are trusted.

-- Apps that can verify documents. A session names nothing but its client, so that the key does not begin with the bank.
CREATE TABLE document_client (
    client_id         text COLLATE "C" PRIMARY KEY CHECK (client_id ~ '^[!-~]{1,128}$'),
    bank_id           identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    -- Whether sessions need no check of a cardholder. They are verified and posted, and that is all.
    is_unbound        boolean NOT NULL,
    -- Where results are posted; null: nowhere.
    result_url        text CHECK (length(result_url) BETWEEN 1 AND 2000),
    -- Whether the URL may point into a private network.
    result_is_private boolean NOT NULL,
    status            text NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
    created_at        timestamptz NOT NULL,
    -- For the foreign key of a check.
    UNIQUE (bank_id, client_id),
    CONSTRAINT an_unbound_client_has_a_result_server CHECK (result_url IS NOT NULL OR NOT is_unbound)
);

-- Checks that a bank has asked for: one per cardholder. A newer one takes the place of an older one.
CREATE TABLE identity_check (
    bank_id           identifier NOT NULL,
    unique_id         identifier NOT NULL,
    client_id         text COLLATE "C" NOT NULL,
    -- Of the validationId.
    validation_digest spent_digest NOT NULL,
    -- Key id and MAC of what is expected.
    expectation_mac   bytea NOT NULL,
    -- What is expected: a document, or a person.
    expectation       text NOT NULL CHECK (expectation IN ('document', 'person')),
    created_at        timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    -- How many sessions there were, and the one that is under way. If its server dies, another session can begin after its end.
    session_count     integer NOT NULL DEFAULT 0 CHECK (session_count BETWEEN 0 AND 5),
    session_id        text COLLATE "C",
    session_ends_at   timestamptz,
    PRIMARY KEY (bank_id, unique_id),
    UNIQUE (bank_id, validation_digest),
    FOREIGN KEY (bank_id, unique_id) REFERENCES cardholder ON DELETE CASCADE,
    FOREIGN KEY (bank_id, client_id) REFERENCES document_client (bank_id, client_id) ON DELETE CASCADE,
    CONSTRAINT a_check_has_a_life CHECK (expires_at > created_at AND expires_at <= created_at + interval '24 hours'),
    CONSTRAINT a_session_has_an_end CHECK ((session_id IS NULL) = (session_ends_at IS NULL))
);

CREATE INDEX identity_check_by_expiry ON identity_check (expires_at);

-- A cardholder whose document has passed. It is removed by the delivery or the definition that it serves.
CREATE TABLE identity_pass (
    bank_id           identifier NOT NULL,
    unique_id         identifier NOT NULL,
    -- As in cardholder. A pass is not changed, but replaced.
    row_id            bigint NOT NULL DEFAULT nextval('audited_row'),
    -- Of the validationId of its check.
    validation_digest spent_digest NOT NULL,
    passed_at         timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL CHECK (expires_at > passed_at),
    -- Key id and MAC of the cardholder, the check and the times, so that a writer to the database cannot give a pass.
    mac               bytea NOT NULL CHECK (length(mac) = 36),
    PRIMARY KEY (bank_id, unique_id),
    FOREIGN KEY (bank_id, unique_id) REFERENCES cardholder ON DELETE CASCADE
);

CREATE INDEX identity_pass_by_expiry ON identity_pass (expires_at);

-- Certificates of the authorities that states sign documents with: a master list, and the root that has signed it.
CREATE TABLE trust_list (
    -- The bank that trusts it, instead of the list of all banks. Empty: all banks that have none of their own.
    scope         text COLLATE "C" PRIMARY KEY CHECK (length(scope) <= 64),
    list          bytea NOT NULL CHECK (length(list) BETWEEN 1 AND 16777216),
    root          bytea NOT NULL,
    -- SHA-256 of both, sealed, so that a writer to the database cannot put another list in its place.
    sealed_digest bytea NOT NULL,
    signed_at     timestamptz NOT NULL,
    imported_at   timestamptz NOT NULL
);

-- Revocation lists of these authorities. Their signatures are checked whenever they are read.
CREATE TABLE trust_revocation_list (
    scope       text COLLATE "C" NOT NULL,
    -- SHA-256 of the issuer's name and its key identifier.
    issuer      bytea NOT NULL CHECK (length(issuer) = 32),
    -- SHA-256 of the list.
    digest      bytea NOT NULL CHECK (length(digest) = 32),
    list        bytea NOT NULL CHECK (length(list) BETWEEN 1 AND 16777216),
    this_update timestamptz NOT NULL,
    -- As in revocation_list.
    number      bytea CHECK (length(number) = 20),
    imported_at timestamptz NOT NULL,
    PRIMARY KEY (scope, issuer)
);
