-- The event identity.failed: a session of a check had shown a document, and the cardholder got no pass.
--
-- All rows have one of the types that were allowed before, so they are not read again. Servers of 0.2.0 pass the event on like
-- others.
ALTER DOMAIN event_type DROP CONSTRAINT event_type_check;
ALTER DOMAIN event_type ADD CONSTRAINT event_type_check CHECK (VALUE IN
    ('pin.delivered', 'pin.delivery-failed', 'pin.delivery-unconfirmed', 'pin.defined', 'pin.expired',
    'authentication.locked', 'certificate.expiring', 'revocation-list.expiring', 'identity.checked', 'identity.failed',
    'audit.sealed')) NOT VALID;
