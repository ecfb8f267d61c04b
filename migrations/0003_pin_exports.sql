-- Exports of defined PINs for the issuer's host: keys with rules, PANs that are bound to cardholders, limits, and when a defined
-- PIN works.
--
-- All rows have one of the values that were allowed before, so constraints that allow more do not read them again. Servers of
-- 0.2.0 make no exports, and pass the event on like others.
ALTER DOMAIN event_type DROP CONSTRAINT event_type_check;
ALTER DOMAIN event_type ADD CONSTRAINT event_type_check CHECK (VALUE IN
    ('pin.delivered', 'pin.delivery-failed', 'pin.delivery-unconfirmed', 'pin.defined', 'pin.expired', 'pin.exported',
    'authentication.locked', 'certificate.expiring', 'revocation-list.expiring', 'identity.checked', 'identity.failed',
    'audit.sealed')) NOT VALID;

-- Keys for the issuer's host. What shapes their values is not in a call, but here, and in the inventory with the key.
ALTER TABLE bank_key DROP CONSTRAINT bank_key_usage_check;
ALTER TABLE bank_key ADD CONSTRAINT bank_key_usage_check CHECK (usage IN
    ('pin-encryption', 'key-block', 'pin-translation', 'visa-pvv', 'ibm3624-offset')) NOT VALID;
ALTER TABLE bank_key ADD COLUMN rules text;
ALTER TABLE bank_key ADD CONSTRAINT a_key_for_the_host_has_rules CHECK
    ((usage IN ('pin-translation', 'visa-pvv', 'ibm3624-offset')) = (rules IS NOT NULL)) NOT VALID;

-- The PIN that a cardholder has defined. It is the present one while its serial is that of the cardholder.
CREATE TABLE chosen_pin (
    bank_id    identifier NOT NULL,
    unique_id  cardholder_id NOT NULL,
    pin_serial serial_number NOT NULL,
    -- The public id of its event pin.defined.
    event_id   public_event_id NOT NULL,
    -- What the bank says of it: whether its host has it.
    state      text NOT NULL CHECK (state IN ('pending', 'sent', 'effective', 'failed')),
    reason     text CHECK (length(reason) BETWEEN 1 AND 200),
    stated_at  timestamptz NOT NULL,
    PRIMARY KEY (bank_id, unique_id),
    FOREIGN KEY (bank_id, unique_id) REFERENCES cardholder ON DELETE CASCADE,
    CONSTRAINT only_a_failure_has_a_reason CHECK (reason IS NULL OR state = 'failed')
) WITH (fillfactor = 85);

-- The key of a bank's digests below: random, sealed, and never replaced, because nobody keeps the PANs.
CREATE TABLE pan_digest_key (
    bank_id    identifier PRIMARY KEY REFERENCES bank ON DELETE CASCADE,
    sealed_key bytea NOT NULL
);

-- Which cardholder a PAN was exported for. Both are keyed digests. A pairing outlives the cardholder's row: otherwise somebody with
-- the bank's back-end could make up cardholders with each PIN, and get each value of one PAN.
CREATE TABLE pan_binding (
    bank_id           identifier NOT NULL,
    pan_digest        bytea NOT NULL CHECK (length(pan_digest) = 32),
    cardholder_digest bytea NOT NULL CHECK (length(cardholder_digest) = 32),
    bound_at          timestamptz NOT NULL,
    PRIMARY KEY (bank_id, pan_digest),
    UNIQUE (bank_id, cardholder_digest)
);

-- How many exports a PAN or a cardholder has had on a day (UTC). It outlives the pairing.
CREATE TABLE pin_export_count (
    bank_id identifier NOT NULL,
    -- Of a PAN or a cardholder, as in pan_binding.
    digest  bytea NOT NULL CHECK (length(digest) = 32),
    day     date NOT NULL,
    count   counter NOT NULL,
    PRIMARY KEY (bank_id, digest)
);

CREATE INDEX pin_export_count_by_day ON pin_export_count (day);

-- How many exports a bank has asked for in a second. The row is also the lock that puts them in order.
CREATE TABLE pin_export_rate (
    bank_id identifier PRIMARY KEY REFERENCES bank ON DELETE CASCADE,
    second  timestamptz NOT NULL,
    count   counter NOT NULL
);

-- The answer to an export, for its repetitions: a JWE to the bank's encryption certificate.
ALTER TABLE idempotent_answer ADD COLUMN answer text;
ALTER TABLE idempotent_answer DROP CONSTRAINT idempotent_answer_outcome_check;
ALTER TABLE idempotent_answer ADD CONSTRAINT idempotent_answer_outcome_check CHECK (outcome IN
    ('created', 'replaced', 'unchanged', 'deleted', 'exported')) NOT VALID;
ALTER TABLE idempotent_answer ADD CONSTRAINT only_an_export_has_an_answer CHECK
    ((outcome = 'exported') = (answer IS NOT NULL)) NOT VALID;

ALTER TABLE resealing DROP CONSTRAINT resealing_sealed_column_check;
ALTER TABLE resealing ADD CONSTRAINT resealing_sealed_column_check CHECK (sealed_column IN
    ('hmac_key.sealed_key', 'bank_key.sealed_key', 'issuer_key.sealed_secret', 'server_key.sealed_key',
    'server_key.sealed_public_key', 'cardholder.sealed_pin', 'cardholder.sealed_free_field', 'master_key.sealed_public_key',
    'seal_key.sealed_public_key', 'trust_list.sealed_digest', 'pan_digest_key.sealed_key')) NOT VALID;
