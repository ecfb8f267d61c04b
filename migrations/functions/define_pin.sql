-- One definition: spends its id, checks the cardholder, spends the keypad, and stores the new PIN.
--
-- The caller was authenticated with the bank at p_bank_revision, and the PIN was checked with it. If the PIN was refused,
-- the token is spent all the same. 'stale' means that the bank has changed since: nothing was written.
CREATE OR REPLACE FUNCTION define_pin(
    p_now                    timestamptz,
    p_bank_id                text,
    p_bank_revision          bigint,
    p_unique_id              text,        -- null if the request's uniqueId cannot be a cardholder's
    p_transaction_digest     bytea,       -- by token only
    p_transaction_expires_at timestamptz, -- by token only
    p_hmac_digest            bytea,       -- by HMAC only
    p_hmac_expires_at        timestamptz, -- by HMAC only
    p_choice                 text,        -- 'digits', 'indexes', or 'refused': it did not open, or is not allowed
    p_keypad_digest          bytea,       -- 'indexes': the keypad that they were read with; null if there is none
    p_keypad_expires_at      timestamptz, -- 'indexes': until when the keypad is refused once it is spent
    p_sealed_pin             bytea,       -- 'indexes': null if they are not a PIN that the bank allows
    p_is_possible            boolean,     -- whether the bank allows definitions, and can get a PIN that it must get
    p_pin_for_bank           text,        -- a JWE to that certificate
    p_event_id               text,        -- the event's id for the bank, which the JWE names
    -- The bank's settings.
    p_retry_limit               integer,
    p_fetch_limit               integer,
    p_definitions_per_day       integer,
    p_definition_resets_delivery boolean,
    p_retention                 text,
    p_undelivered_lifetime_days integer,
    p_needs_pass                boolean,
    p_pass_mac                  bytea, -- of the cardholder's pass, if one is needed; null: there is none
    OUT outcome                 text,
    OUT changed_rows            bytea  -- for the audit trail
) LANGUAGE plpgsql AS $$
DECLARE
    holder   cardholder;
    before   bytea;
    is_fresh boolean;
    today    date := (p_now AT TIME ZONE 'UTC')::date;
    expiry   timestamptz;
BEGIN
    PERFORM FROM bank
        WHERE bank_id = p_bank_id AND revision = p_bank_revision AND status = 'ACTIVE';
    IF NOT FOUND THEN
        outcome := 'stale';
        RETURN;
    END IF;
    is_fresh := p_transaction_digest IS NULL OR spend_definition_transaction(
        p_now => p_now, p_bank_id => p_bank_id, p_digest => p_transaction_digest,
        p_expires_at => p_transaction_expires_at);
    IF p_choice = 'refused' THEN
        outcome := 'refused';
        RETURN;
    END IF;
    IF NOT is_fresh THEN
        outcome := 'transaction-spent';
        RETURN;
    END IF;

    -- Two requests with the same HMAC are for the same cardholder: the row's lock lets the second one see the first.
    SELECT * INTO holder FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
    IF p_hmac_digest IS NOT NULL AND EXISTS (
        SELECT FROM spent_proof WHERE bank_id = p_bank_id AND kind = 'hmac' AND digest = p_hmac_digest
    ) THEN
        outcome := 'hmac-spent';
        RETURN;
    END IF;
    IF holder.unique_id IS NULL THEN
        outcome := 'no-cardholder';
        RETURN;
    END IF;
    IF holder.status <> 'ACTIVE' OR NOT p_is_possible OR NOT holder.definition
        OR holder.authentication_failures >= p_retry_limit OR holder.unconfirmed_fetches >= p_fetch_limit
        OR (CASE WHEN p_hmac_digest IS NULL THEN 'TOKEN' ELSE 'AC' END) <> ALL (holder.channels)
        OR (holder.definition_day = today AND holder.definition_count >= p_definitions_per_day)
        OR (p_needs_pass
            AND lacks_identity_pass(
                p_bank_id => p_bank_id, p_unique_id => p_unique_id, p_pass_mac => p_pass_mac)) THEN
        outcome := 'status-not-satisfied';
        RETURN;
    END IF;
    -- A keypad is its cardholder's own: the row's lock lets the second of two definitions see the first.
    IF p_choice = 'indexes' AND (p_keypad_digest IS NULL OR EXISTS (
        SELECT FROM spent_proof WHERE bank_id = p_bank_id AND kind = 'keypad' AND digest = p_keypad_digest
    )) THEN
        outcome := 'no-keypad';
        RETURN;
    END IF;
    IF p_sealed_pin IS NULL THEN
        outcome := 'bad-pin';
        RETURN;
    END IF;

    IF p_keypad_digest IS NOT NULL THEN
        INSERT INTO spent_proof (bank_id, kind, digest, expires_at)
            VALUES (p_bank_id, 'keypad', p_keypad_digest, p_keypad_expires_at);
    END IF;
    IF p_hmac_digest IS NOT NULL THEN
        INSERT INTO spent_proof (bank_id, kind, digest, expires_at)
            VALUES (p_bank_id, 'hmac', p_hmac_digest, p_hmac_expires_at);
    END IF;
    -- A pass serves one definition.
    IF p_needs_pass THEN
        changed_rows := remove_pass(p_bank_id => p_bank_id, p_unique_id => p_unique_id, p_up_to => 'infinity');
    END IF;
    -- If the bank's retention erases PINs, a defined PIN expires too.
    IF p_definition_resets_delivery OR holder.delivered_at IS NULL OR p_retention = 'erase' THEN
        expiry := p_now + make_interval(days => p_undelivered_lifetime_days);
    END IF;
    before := cardholder_digest(holder);
    holder.changes := holder.changes + 1;
    holder.sealed_pin := p_sealed_pin;
    holder.pin_serial := holder.pin_serial + 1;
    IF p_definition_resets_delivery THEN
        holder.delivered_at := NULL;
        holder.unconfirmed_fetches := 0;
    END IF;
    holder.pin_expires_at := expiry;
    holder.version := nextval('cardholder_version');
    holder.definition_count := CASE WHEN holder.definition_day = today THEN holder.definition_count + 1 ELSE 1 END;
    holder.definition_day := today;
    changed_rows := coalesce(changed_rows, '') || row_change(
        p_row_id => holder.row_id, p_changes => holder.changes, p_before => before, p_after => cardholder_digest(holder));
    -- One statement, because the start and end of each cost as much as a row.
    WITH changed AS (
        UPDATE cardholder SET
            sealed_pin = holder.sealed_pin, pin_serial = holder.pin_serial, delivered_at = holder.delivered_at,
            unconfirmed_fetches = holder.unconfirmed_fetches, pin_expires_at = holder.pin_expires_at,
            version = holder.version, definition_day = holder.definition_day,
            definition_count = holder.definition_count, changes = holder.changes
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id
    ), expiring AS (
        INSERT INTO pin_expiry (bank_id, unique_id, expires_at)
        SELECT p_bank_id, p_unique_id, expiry WHERE expiry IS NOT NULL
        ON CONFLICT DO NOTHING
    ), chosen AS (
        INSERT INTO chosen_pin (bank_id, unique_id, pin_serial, event_id, state, stated_at)
        VALUES (p_bank_id, p_unique_id, holder.pin_serial, p_event_id, 'pending', p_now)
        ON CONFLICT (bank_id, unique_id) DO UPDATE SET
            pin_serial = excluded.pin_serial, event_id = excluded.event_id, state = excluded.state, reason = NULL,
            stated_at = excluded.stated_at
    ), reported AS (
        INSERT INTO event (bank_id, public_id, unique_id, type, data, occurred_at)
        VALUES (p_bank_id, p_event_id, p_unique_id, 'pin.defined', '{}', p_now)
        RETURNING event_id
    )
    INSERT INTO defined_pin (bank_id, event_id, pin)
        SELECT p_bank_id, event_id, p_pin_for_bank FROM reported WHERE p_pin_for_bank IS NOT NULL;
    outcome := 'defined';
END
$$;
