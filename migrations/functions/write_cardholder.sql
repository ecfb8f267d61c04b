-- The one way to write a cardholder: PUT, PATCH, a line of an import, and the commands of an operator.
--
-- p_if_version, p_must_exist and p_must_not_exist are If-Match, If-Match: * and If-None-Match: *. A PIN is taken once: see
-- cardholder.taken_pins. Failures, fetches and the state of the delivery stay as they are, except that a new code forgets
-- wrong codes, and a new PIN has not been delivered.
CREATE OR REPLACE FUNCTION write_cardholder(
    p_now             timestamptz,
    p_bank_id         text,
    p_unique_id       text,
    p_change          cardholder_change,
    p_if_version      bigint,      -- null: any
    p_must_exist      boolean,
    p_must_not_exist  boolean,
    p_call_key        text,        -- Idempotency-Key; null: none
    p_call_mac        bytea,
    p_call_expires_at timestamptz,
    p_undelivered_lifetime_days integer, -- the bank's setting
    OUT outcome text,              -- 'created', 'replaced', 'unchanged', or what was wrong
    OUT version bigint,
    OUT pin     text,              -- 'taken' or 'unchanged'; null if no PIN was sent
    OUT changed_rows bytea         -- for the audit trail
) LANGUAGE plpgsql AS $$
DECLARE
    stored cardholder;
    before cardholder; -- stored, with MACs under the newest keys
    holder cardholder;
    is_new boolean;
BEGIN
    PERFORM FROM bank WHERE bank_id = p_bank_id;
    IF NOT FOUND THEN
        RAISE foreign_key_violation USING MESSAGE = 'there is no such bank';
    END IF;
    outcome := begin_call(p_now => p_now, p_bank_id => p_bank_id, p_key => p_call_key);
    IF outcome <> 'first' THEN
        RETURN;
    END IF;

    -- It repeats if another server creates the cardholder in between.
    LOOP
        SELECT * INTO stored FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
        is_new := NOT FOUND;
        before := stored;
        outcome := CASE
            WHEN is_new AND p_change.creates IS NOT TRUE THEN 'absent'
            WHEN is_new AND (p_must_exist OR p_if_version IS NOT NULL) THEN 'precondition-failed'
            WHEN NOT is_new AND (p_must_not_exist OR before.version <> p_if_version) THEN 'precondition-failed'
        END;
        IF outcome IS NOT NULL THEN
            RETURN;
        END IF;

        -- Under a newer key the same text has another MAC. The row gets it, but that is no change.
        IF before.code_mac = ANY (p_change.code_macs) THEN
            before.code_mac := p_change.code_macs[1];
        END IF;
        IF before.free_field_mac = ANY (p_change.free_field_macs) THEN
            before.free_field_mac := p_change.free_field_macs[1];
        END IF;
        holder := before;
        pin := NULL;
        IF is_new THEN
            holder.bank_id := p_bank_id;
            holder.unique_id := p_unique_id;
            holder.row_id := nextval('audited_row');
            holder.changes := 0;
            holder.authentication_failures := 0;
            holder.unconfirmed_fetches := 0;
            holder.pin_serial := 0;
            holder.taken_pins := '{}';
            holder.definition_count := 0;
            holder.created_at := p_now;
        END IF;
        holder.status := coalesce(p_change.status, holder.status);
        holder.channels := coalesce(p_change.channels, holder.channels);
        holder.definition := coalesce(p_change.definition, holder.definition);
        IF p_change.sets_accessibility THEN
            holder.accessibility := p_change.accessibility;
        END IF;
        IF p_change.sets_code THEN
            IF p_change.code_macs[1] IS DISTINCT FROM holder.code_mac AND p_change.code_macs IS NOT NULL THEN
                holder.authentication_failures := 0;
            END IF;
            holder.code_mac := p_change.code_macs[1];
        END IF;
        -- The same text is sealed differently each time.
        IF p_change.sets_free_field AND p_change.free_field_macs[1] IS DISTINCT FROM holder.free_field_mac THEN
            holder.sealed_free_field := p_change.sealed_free_field;
            holder.free_field_mac := p_change.free_field_macs[1];
        END IF;

        IF p_change.sets_pin AND p_change.pin_digest IS NULL THEN
            holder.sealed_pin := NULL;
            holder.pin_expires_at := NULL;
        ELSIF p_change.sets_pin AND p_change.pin_version IS NULL AND holder.pin_version IS NOT NULL THEN
            outcome := 'pin-version-missing';
            RETURN;
        ELSIF p_change.sets_pin THEN
            pin := CASE
                WHEN holder.status = 'CLOSED' THEN 'unchanged'
                WHEN p_change.pin_version <= holder.pin_version THEN 'unchanged'
                WHEN p_change.pin_version IS NULL AND p_change.pin_digest = ANY (holder.taken_pins) THEN 'unchanged'
                ELSE 'taken'
            END;
            IF pin = 'taken' AND p_change.sealed_pin IS NULL THEN
                outcome := 'pin-unreadable';
                RETURN;
            END IF;
        END IF;
        -- What was erased after its delivery does not come back: neither the PIN, nor the code that comes with it again.
        IF pin = 'unchanged' AND before.sealed_pin IS NULL AND before.code_mac IS NULL AND before.delivered_at IS NOT NULL
        THEN
            holder.code_mac := NULL;
            holder.authentication_failures := before.authentication_failures;
        END IF;
        IF pin = 'taken' THEN
            holder.sealed_pin := p_change.sealed_pin;
            holder.pin_serial := holder.pin_serial + 1;
            holder.pin_version := coalesce(p_change.pin_version, holder.pin_version);
            -- The last 20.
            holder.taken_pins := (array_remove(holder.taken_pins, p_change.pin_digest) || p_change.pin_digest)
                [greatest(1, cardinality(array_remove(holder.taken_pins, p_change.pin_digest)) - 18) :];
            holder.delivered_at := NULL;
            holder.unconfirmed_fetches := 0;
            holder.pin_expires_at := p_now + make_interval(days => p_undelivered_lifetime_days);
        END IF;
        IF p_change.unlocks THEN
            holder.authentication_failures := 0;
            holder.unconfirmed_fetches := 0;
        END IF;
        IF holder.status = 'CLOSED' THEN
            holder.code_mac := NULL;
            holder.sealed_pin := NULL;
            holder.pin_expires_at := NULL;
        END IF;

        IF NOT is_new AND holder IS NOT DISTINCT FROM before THEN
            outcome := 'unchanged';
            UPDATE cardholder SET code_mac = holder.code_mac, free_field_mac = holder.free_field_mac, changes = changes + 1
                WHERE bank_id = p_bank_id AND unique_id = p_unique_id
                    AND (code_mac, free_field_mac) IS DISTINCT FROM (holder.code_mac, holder.free_field_mac)
                RETURNING * INTO before;
            changed_rows := CASE WHEN FOUND THEN changed_cardholder(p_before => stored, p_after => before) END;
            EXIT;
        END IF;
        holder.changes := holder.changes + 1;
        holder.version := nextval('cardholder_version');
        holder.updated_at := p_now;
        IF is_new THEN
            INSERT INTO cardholder SELECT (holder).* ON CONFLICT DO NOTHING RETURNING * INTO holder;
            outcome := 'created';
            EXIT WHEN FOUND;
        ELSE
            UPDATE cardholder SET
                status = holder.status,
                channels = holder.channels,
                definition = holder.definition,
                accessibility = holder.accessibility,
                code_mac = holder.code_mac,
                authentication_failures = holder.authentication_failures,
                sealed_free_field = holder.sealed_free_field,
                free_field_mac = holder.free_field_mac,
                sealed_pin = holder.sealed_pin,
                pin_serial = holder.pin_serial,
                pin_version = holder.pin_version,
                taken_pins = holder.taken_pins,
                pin_expires_at = holder.pin_expires_at,
                delivered_at = holder.delivered_at,
                unconfirmed_fetches = holder.unconfirmed_fetches,
                version = holder.version,
                updated_at = holder.updated_at,
                changes = holder.changes
            WHERE bank_id = p_bank_id AND unique_id = p_unique_id
            RETURNING * INTO holder;
            outcome := 'replaced';
            EXIT;
        END IF;
    END LOOP;
    version := holder.version;
    IF outcome <> 'unchanged' THEN
        changed_rows := changed_cardholder(p_before => stored, p_after => holder);
    END IF;

    IF pin = 'taken' THEN
        INSERT INTO pin_expiry (bank_id, unique_id, expires_at)
            VALUES (p_bank_id, p_unique_id, holder.pin_expires_at) ON CONFLICT DO NOTHING;
    END IF;
    IF p_call_key IS NOT NULL THEN
        PERFORM keep_answer(
            p_bank_id => p_bank_id, p_key => p_call_key, p_mac => p_call_mac, p_expires_at => p_call_expires_at,
            p_outcome => outcome, p_version => version, p_pin => pin);
    END IF;
END
$$;
