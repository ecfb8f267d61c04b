-- Verification of passports and identity cards: what banks set. A migration of its own, because each request reads the bank: its
-- lock must not be held while another table is waited for. A write to a certificate locks it before its bank.

-- identity: results of verifications are sealed to it.
ALTER TABLE certificate DROP CONSTRAINT certificate_purpose_check, ADD CONSTRAINT certificate_purpose_check
    CHECK (purpose IN ('signature', 'encryption', 'client', 'identity'));

-- Which requests need a pass, how long one lasts, and whether a chip must prove that it is no copy.
ALTER TABLE bank
    ADD COLUMN identity_check text NOT NULL DEFAULT 'none'
        CHECK (identity_check IN ('none', 'fetch', 'definition', 'both')),
    ADD COLUMN identity_assurance text NOT NULL DEFAULT 'chip' CHECK (identity_assurance IN ('chip', 'passive')),
    ADD COLUMN identity_lifetime_seconds integer NOT NULL DEFAULT 900
        CHECK (identity_lifetime_seconds BETWEEN 60 AND 86400);

-- The old events are not read again: what was allowed is still allowed.
ALTER DOMAIN event_type DROP CONSTRAINT event_type_check;
ALTER DOMAIN event_type ADD CONSTRAINT event_type_check CHECK (VALUE IN
    ('pin.delivered', 'pin.delivery-failed', 'pin.delivery-unconfirmed', 'pin.defined', 'pin.expired',
    'authentication.locked', 'certificate.expiring', 'revocation-list.expiring', 'identity.checked')) NOT VALID;

ALTER TABLE resealing DROP CONSTRAINT resealing_sealed_column_check, ADD CONSTRAINT resealing_sealed_column_check
    CHECK (sealed_column IN
        ('hmac_key.sealed_key', 'bank_key.sealed_key', 'issuer_key.sealed_secret', 'server_key.sealed_key',
        'cardholder.sealed_pin', 'cardholder.sealed_free_field', 'master_key.sealed_public_key',
        'seal_key.sealed_public_key', 'trust_list.sealed_digest'));
