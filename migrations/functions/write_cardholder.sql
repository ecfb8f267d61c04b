-- The one way to write a cardholder: PUT, PATCH, a line of an import, and the commands of an operator.
--
-- A null or false argument leaves a part as it is. A PUT gives every part, and may create the cardholder. The versions are
-- those of ETag, If-Match and If-None-Match.
CREATE OR REPLACE FUNCTION write_cardholder(
    p_now               timestamptz,
    p_bank_id           text,
    p_unique_id         text,
    p_may_create        boolean,
    p_status            text,
    p_channels          text[],
    p_sets_code         boolean,
    p_code_mac          bytea,   -- null: the cardholder has no code
    p_sets_pin          boolean,
    p_sealed_pin        bytea,   -- null: the cardholder has no PIN
    p_sets_free_field   boolean,
    p_sealed_free_field bytea,   -- null: the cardholder has no free field
    p_unlocks           boolean, -- forgets wrong codes and unconfirmed fetches
    p_provision_mac     bytea,   -- a MAC of the JSON that the cardholder is provisioned from; null for a change
    p_if_version        bigint,  -- null: any
    p_must_exist        boolean, -- If-Match: *
    p_must_not_exist    boolean, -- If-None-Match: *
    OUT outcome text,            -- 'created', 'replaced', 'unchanged', 'absent', 'precondition-failed'
    OUT version bigint
) LANGUAGE plpgsql SET search_path = card_companion, pg_temp AS $$
DECLARE
    lifetime_days integer;
    holder        cardholder;
    is_new        boolean;
    changes_part  boolean := p_provision_mac IS NOT NULL OR p_status IS NOT NULL OR p_channels IS NOT NULL
        OR p_sets_code OR p_sets_pin OR p_sets_free_field;
BEGIN
    SELECT undelivered_lifetime_days INTO lifetime_days FROM bank WHERE bank_id = p_bank_id;
    IF NOT FOUND THEN
        RAISE foreign_key_violation USING MESSAGE = 'there is no such bank';
    END IF;

    -- It repeats if another server creates the cardholder in between.
    LOOP
        SELECT * INTO holder FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
        is_new := NOT FOUND;
        IF is_new AND NOT p_may_create THEN
            outcome := 'absent';
            RETURN;
        END IF;
        IF is_new AND (p_must_exist OR p_if_version IS NOT NULL) THEN
            outcome := 'precondition-failed';
            RETURN;
        END IF;
        IF NOT is_new AND (p_must_not_exist OR holder.version IS DISTINCT FROM coalesce(p_if_version, holder.version)) THEN
            outcome := 'precondition-failed';
            RETURN;
        END IF;
        IF NOT (changes_part OR p_unlocks)
            OR (p_provision_mac IS NOT NULL AND holder.provision_mac IS NOT DISTINCT FROM p_provision_mac) THEN
            outcome := 'unchanged';
            version := holder.version;
            RETURN;
        END IF;

        IF is_new THEN
            holder.authentication_failures := 0;
            holder.unconfirmed_fetches := 0;
            holder.pin_serial := 0;
        END IF;
        -- What the cardholder was provisioned from no longer describes them once a part of it has changed.
        IF changes_part THEN
            holder.provision_mac := p_provision_mac;
        END IF;
        holder.status := coalesce(p_status, holder.status);
        holder.channels := coalesce(p_channels, holder.channels);
        IF p_sets_code THEN
            holder.code_mac := p_code_mac;
        END IF;
        IF p_sets_free_field THEN
            holder.sealed_free_field := p_sealed_free_field;
        END IF;
        IF p_sets_pin THEN
            holder.sealed_pin := p_sealed_pin;
            holder.delivered_at := NULL;
            holder.unconfirmed_fetches := 0;
            holder.pin_expires_at := NULL;
            IF p_sealed_pin IS NOT NULL THEN
                holder.pin_serial := holder.pin_serial + 1;
                holder.pin_expires_at := p_now + make_interval(days => lifetime_days);
            END IF;
        END IF;
        IF p_unlocks THEN
            holder.authentication_failures := 0;
            holder.unconfirmed_fetches := 0;
        END IF;
        version := nextval('cardholder_version');

        IF is_new THEN
            INSERT INTO cardholder
                (bank_id, unique_id, status, channels, code_mac, authentication_failures, sealed_free_field, sealed_pin,
                pin_serial, pin_expires_at, unconfirmed_fetches, provision_mac, version, created_at, updated_at)
                VALUES (p_bank_id, p_unique_id, holder.status, holder.channels, holder.code_mac,
                    holder.authentication_failures, holder.sealed_free_field, holder.sealed_pin, holder.pin_serial,
                    holder.pin_expires_at, holder.unconfirmed_fetches, holder.provision_mac, version, p_now, p_now)
                ON CONFLICT DO NOTHING;
            outcome := 'created';
            EXIT WHEN FOUND;
        ELSE
            UPDATE cardholder SET
                status = holder.status,
                channels = holder.channels,
                code_mac = holder.code_mac,
                authentication_failures = holder.authentication_failures,
                sealed_free_field = holder.sealed_free_field,
                sealed_pin = holder.sealed_pin,
                pin_serial = holder.pin_serial,
                pin_expires_at = holder.pin_expires_at,
                delivered_at = holder.delivered_at,
                unconfirmed_fetches = holder.unconfirmed_fetches,
                provision_mac = holder.provision_mac,
                version = write_cardholder.version,
                updated_at = p_now
            WHERE bank_id = p_bank_id AND unique_id = p_unique_id;
            outcome := 'replaced';
            EXIT;
        END IF;
    END LOOP;

    IF p_sets_pin AND p_sealed_pin IS NOT NULL THEN
        INSERT INTO pin_expiry (bank_id, unique_id, expires_at)
            VALUES (p_bank_id, p_unique_id, holder.pin_expires_at) ON CONFLICT DO NOTHING;
    END IF;
END
$$;
