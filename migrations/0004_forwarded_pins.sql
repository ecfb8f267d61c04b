-- Defined PINs for a bank's connector ('card-companion forward'), which hands each to a program of the bank's until that has said that
-- the issuer's host has it. Only banks with the setting forwardDefinedPINs get rows. Servers of 0.2.0 write none.
CREATE TABLE forwarded_pin (
    bank_id         identifier NOT NULL,
    unique_id       cardholder_id NOT NULL,
    -- The public id of its event pin.defined.
    event_id        public_event_id NOT NULL,
    -- The cardholder's pseudonym in the audit trail. The connector has no key to make it.
    subject         bytea NOT NULL,
    defined_at      timestamptz NOT NULL,
    -- How often it was handed out.
    attempts        integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    -- When it is handed out; null: not any more.
    next_attempt_at timestamptz,
    -- Until then a connector has it, or the cardholder's PIN before it, and nobody else gets it.
    leased_until    timestamptz,
    PRIMARY KEY (bank_id, unique_id),
    FOREIGN KEY (bank_id, unique_id) REFERENCES chosen_pin ON DELETE CASCADE
) WITH (fillfactor = 85);

CREATE INDEX forwarded_pin_due ON forwarded_pin (bank_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
