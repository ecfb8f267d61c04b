-- One fetch: spends its id, checks the cardholder in the order of the protocol (section 2.8), counts a wrong code before
-- it is checked, and opens the session. One call, one commit: of any number of simultaneous requests on any number of
-- servers, each sees what the one before it did.
--
-- The caller was authenticated with the bank at p_bank_revision. 'stale' means that the bank has changed since: nothing
-- was written, and the server must authenticate the request again. Every other outcome is final.
CREATE OR REPLACE FUNCTION fetch_pin(
    p_now                timestamptz,
    p_bank_id            text,
    p_bank_revision      bigint,
    p_unique_id          text,
    p_channel            text,
    p_is_reminder        boolean,     -- the token's Type; false for AC, which becomes a reminder after a delivery
    p_transaction_digest bytea,       -- TOKEN only
    p_hmac_digest        bytea,       -- AC only
    p_hmac_expires_at    timestamptz, -- AC only
    p_code_is_checked    boolean,
    p_code_has_form      boolean,
    p_code_macs          bytea[],     -- the code's MAC under the active key, then under older keys
    p_session_id         text,
    p_token_mac          bytea,       -- TOKEN only
    p_confirmations      bytea[],
    -- The bank's settings.
    p_programme                text,
    p_session_lifetime_seconds integer,
    p_retention                text,
    p_reminders                boolean,
    p_retry_limit              integer,
    p_fetch_limit              integer,
    p_needs_pass               boolean,
    p_pass_mac                 bytea, -- of the cardholder's pass, if one is needed; null: there is none
    OUT outcome           text,
    OUT sealed_pin        bytea,
    OUT sealed_free_field bytea,
    OUT accessibility     text,
    OUT changed_rows      bytea -- for the audit trail
) LANGUAGE plpgsql AS $$
DECLARE
    holder     cardholder;
    before     bytea;
    is_right   boolean;
    is_allowed boolean;
    locks      boolean;
BEGIN
    PERFORM FROM bank
        WHERE bank_id = p_bank_id AND revision = p_bank_revision AND status = 'ACTIVE';
    IF NOT FOUND THEN
        outcome := 'stale';
        RETURN;
    END IF;

    IF p_channel = 'TOKEN' THEN
        INSERT INTO spent_transaction (bank_id, digest) VALUES (p_bank_id, p_transaction_digest)
            ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            outcome := 'transaction-spent';
            RETURN;
        END IF;
    END IF;

    -- Two requests with the same HMAC are for the same cardholder: the row's lock lets the second one see the first. A
    -- spent HMAC is refused before anything about the cardholder is checked, so that it cannot try codes.
    SELECT * INTO holder FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
    IF p_channel = 'AC' AND EXISTS (
        SELECT FROM spent_proof WHERE bank_id = p_bank_id AND kind = 'hmac' AND digest = p_hmac_digest
    ) THEN
        outcome := 'hmac-spent';
        RETURN;
    END IF;
    IF holder.unique_id IS NULL THEN
        outcome := CASE WHEN EXISTS (
            SELECT FROM cardholder JOIN bank USING (bank_id)
            WHERE cardholder.unique_id = p_unique_id AND bank.programme = p_programme
        ) THEN 'cardholder-of-another-bank' ELSE 'no-cardholder' END;
        RETURN;
    END IF;

    IF p_channel <> ALL (holder.channels) THEN
        outcome := 'wrong-channel';
        RETURN;
    END IF;

    -- Before the first confirmed delivery an AC fetch is a delivery, after it a reminder. If the PIN was erased there is
    -- nothing to repeat: that is 'no-pin' below.
    is_allowed := CASE
        WHEN holder.status <> 'ACTIVE' THEN false
        WHEN p_needs_pass
            AND lacks_identity_pass(
                p_bank_id => p_bank_id, p_unique_id => p_unique_id, p_pass_mac => p_pass_mac) THEN false
        WHEN p_is_reminder THEN p_reminders
        WHEN holder.delivered_at IS NULL OR p_retention <> 'keep' THEN true
        ELSE p_channel = 'AC' AND p_reminders
    END;
    IF NOT is_allowed THEN
        outcome := 'status-not-satisfied';
        RETURN;
    END IF;

    IF holder.authentication_failures >= p_retry_limit OR holder.unconfirmed_fetches >= p_fetch_limit THEN
        outcome := 'limit-reached';
        RETURN;
    END IF;

    IF p_code_is_checked THEN
        IF NOT p_code_has_form THEN
            outcome := 'code-without-form';
            RETURN;
        END IF;
        -- A code is erased with its PIN: there is nothing to compare with, and nothing to guess.
        IF holder.code_mac IS NULL AND holder.pin_serial > 0
            AND (holder.sealed_pin IS NULL OR holder.pin_expires_at <= p_now) THEN
            outcome := 'no-pin';
            RETURN;
        END IF;
        is_right := coalesce(holder.code_mac = ANY (p_code_macs), false);
        -- A wrong code that does not lock leaves the version: anyone can mistype, and nothing else has changed.
        locks := NOT is_right AND holder.authentication_failures + 1 = p_retry_limit;
        IF NOT is_right OR holder.authentication_failures > 0 OR holder.code_mac <> p_code_macs[1] THEN
            before := cardholder_digest(holder);
            holder.changes := holder.changes + 1;
            holder.authentication_failures := CASE WHEN is_right THEN 0 ELSE holder.authentication_failures + 1 END;
            holder.code_mac := CASE WHEN is_right THEN p_code_macs[1] ELSE holder.code_mac END;
            holder.version := CASE WHEN is_right OR locks THEN nextval('cardholder_version') ELSE holder.version END;
            UPDATE cardholder SET
                authentication_failures = holder.authentication_failures, code_mac = holder.code_mac,
                version = holder.version, changes = holder.changes
            WHERE bank_id = p_bank_id AND unique_id = p_unique_id;
            changed_rows := row_change(
                p_row_id => holder.row_id, p_changes => holder.changes, p_before => before,
                p_after => cardholder_digest(holder));
        END IF;
        IF NOT is_right THEN
            IF locks THEN
                INSERT INTO event (bank_id, unique_id, type, data, occurred_at) VALUES (
                    p_bank_id, p_unique_id, 'authentication.locked', '{"lockedBy": ["authenticationFailures"]}', p_now);
            END IF;
            outcome := CASE WHEN locks THEN 'wrong-code-locks' ELSE 'wrong-code' END;
            RETURN;
        END IF;
    END IF;

    IF holder.sealed_pin IS NULL OR holder.pin_expires_at <= p_now THEN
        outcome := 'no-pin';
        RETURN;
    END IF;

    IF p_channel = 'AC' THEN
        INSERT INTO spent_proof (bank_id, kind, digest, expires_at)
            VALUES (p_bank_id, 'hmac', p_hmac_digest, p_hmac_expires_at);
    END IF;
    before := cardholder_digest(holder);
    holder.changes := holder.changes + 1;
    holder.unconfirmed_fetches := holder.unconfirmed_fetches + 1;
    holder.version := nextval('cardholder_version');
    changed_rows := coalesce(changed_rows, '') || row_change(
        p_row_id => holder.row_id, p_changes => holder.changes, p_before => before, p_after => cardholder_digest(holder));
    -- One statement, because the start and end of each cost as much as a row.
    WITH counted AS (
        UPDATE cardholder SET
            unconfirmed_fetches = holder.unconfirmed_fetches, version = holder.version, changes = holder.changes
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id
    )
    INSERT INTO delivery_session
        (bank_id, session_id, unique_id, channel, token_mac, confirmations, pin_serial, opened_at, expires_at)
        VALUES (p_bank_id, p_session_id, p_unique_id, p_channel, p_token_mac, p_confirmations, holder.pin_serial, p_now,
            p_now + make_interval(secs => p_session_lifetime_seconds));
    locks := holder.unconfirmed_fetches = p_fetch_limit;
    IF locks THEN
        INSERT INTO event (bank_id, unique_id, type, data, occurred_at) VALUES (
            p_bank_id, p_unique_id, 'authentication.locked', '{"lockedBy": ["unconfirmedFetches"]}', p_now);
    END IF;

    outcome := CASE WHEN locks THEN 'delivered-locks' ELSE 'delivered' END;
    sealed_pin := holder.sealed_pin;
    sealed_free_field := holder.sealed_free_field;
    accessibility := holder.accessibility;
END
$$;
