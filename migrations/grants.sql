-- What the role that serves can do: read and write rows, and call functions. It cannot alter or drop anything. The
-- migration runner applies this file after every change of the schema.
GRANT USAGE ON SCHEMA card_companion TO card_companion_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA card_companion TO card_companion_service;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA card_companion TO card_companion_service;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA card_companion FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA card_companion TO card_companion_service;
REVOKE INSERT, UPDATE, DELETE ON schema_migration, schema_function, schema_state FROM card_companion_service;
-- The audit trail is only added to.
REVOKE UPDATE, DELETE ON audit_entry, audit_seal FROM card_companion_service;
-- A key that has signed seals is never forgotten. It can be sealed anew.
REVOKE DELETE ON seal_key, server_key FROM card_companion_service;
-- A bank's connector can do nothing but ask for defined PINs, and report what became of them. Its role is optional.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'card_companion_forward') THEN
        GRANT USAGE ON SCHEMA card_companion TO card_companion_forward;
        GRANT SELECT ON schema_migration, schema_function, schema_state TO card_companion_forward;
        GRANT SELECT (bank_id) ON bank TO card_companion_forward;
        GRANT EXECUTE ON FUNCTION lease_forwarded_pins, report_forwarded_pin TO card_companion_forward;
    END IF;
END
$$;
