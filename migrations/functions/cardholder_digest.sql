-- The digest of a cardholder's row in the audit trail: of everything in it. docs/audit.md defines the bytes.
--
-- In plpgsql, so that the two calls of a change share one expression: PostgreSQL prepares it again in each transaction.
CREATE OR REPLACE FUNCTION cardholder_digest(p_row cardholder) RETURNS bytea LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN substring(sha256(
        array_send(ARRAY[p_row.bank_id, p_row.unique_id, p_row.status, p_row.accessibility]::text[])
        || array_send(p_row.channels) || array_send(p_row.taken_pins)
        || array_send(ARRAY[p_row.code_mac, p_row.sealed_free_field, p_row.free_field_mac, p_row.sealed_pin])
        || array_send(ARRAY[p_row.row_id, p_row.changes, p_row.definition::integer, p_row.authentication_failures,
            p_row.pin_serial, p_row.pin_version, p_row.unconfirmed_fetches, p_row.definition_day - date '2000-01-01',
            p_row.definition_count, p_row.version]::bigint[])
        || array_send(ARRAY[p_row.pin_expires_at, p_row.delivered_at, p_row.created_at, p_row.updated_at])
    ) FOR 16);
END
$$;
