-- One notify. The first one with the right hash decides the session; its repetition is answered 'confirmed' too.
--
-- The hash is checked before any row is locked: a caller who could not open the delivery cannot make others wait.
--
-- When the PIN is erased, its code goes too, and so do the MACs of the tokens that fetched it, because a token contains the
-- code. Then the right hash, which only the app can make, is enough for a repetition.
CREATE OR REPLACE FUNCTION notify_delivery(
    p_now           timestamptz,
    p_bank_id       text,
    p_bank_revision bigint,
    p_unique_id     text,
    p_session_id    text,
    p_channel       text,
    p_token_macs    bytea[], -- TOKEN only: the token's MAC under each key that may have been used
    p_status        integer,
    p_confirmation  bytea,
    p_erases        boolean, -- the bank's setting: whether the PIN is erased once it was shown
    p_uses_pass     boolean, -- the bank's setting: whether fetches need a pass
    OUT outcome      text,
    OUT changed_rows bytea    -- for the audit trail
) LANGUAGE plpgsql AS $$
DECLARE
    opened delivery_session;
    holder cardholder;
    before bytea;
BEGIN
    PERFORM FROM bank
        WHERE bank_id = p_bank_id AND revision = p_bank_revision AND status = 'ACTIVE';
    IF NOT FOUND THEN
        outcome := 'stale';
        RETURN;
    END IF;

    SELECT * INTO opened FROM delivery_session
        WHERE bank_id = p_bank_id AND session_id = p_session_id AND unique_id = p_unique_id AND channel = p_channel
            AND expires_at > p_now AND (token_mac IS NULL OR token_mac = ANY (p_token_macs));
    IF NOT FOUND THEN
        outcome := 'no-session';
        RETURN;
    END IF;
    IF opened.confirmations[p_status + 1] IS DISTINCT FROM p_confirmation THEN
        outcome := 'wrong-hash';
        RETURN;
    END IF;

    -- The cardholder first, as in a fetch: everything that locks both locks them in this order. Then the session again,
    -- because another notify may have decided it, or an erasure may have removed it, since it was read.
    SELECT * INTO holder FROM cardholder
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
    SELECT * INTO opened FROM delivery_session
        WHERE bank_id = p_bank_id AND session_id = p_session_id FOR UPDATE;
    IF NOT FOUND THEN
        outcome := 'no-session';
        RETURN;
    END IF;
    IF opened.notified_status <> p_status THEN
        outcome := 'decided-otherwise';
        RETURN;
    END IF;
    IF opened.notified_status = p_status THEN
        outcome := 'confirmed';
        RETURN;
    END IF;

    UPDATE delivery_session SET notified_status = p_status WHERE bank_id = p_bank_id AND session_id = p_session_id;
    INSERT INTO event (bank_id, unique_id, type, data, occurred_at) VALUES (
        p_bank_id, p_unique_id, CASE p_status WHEN 0 THEN 'pin.delivered' ELSE 'pin.delivery-failed' END,
        jsonb_build_object('sessionId', p_session_id, 'channel', p_channel, 'status', p_status)
            || CASE WHEN p_status = 0 AND holder.pin_serial <> opened.pin_serial
                THEN '{"superseded": true}'::jsonb ELSE '{}' END,
        p_now);
    -- A pass serves fetches until the first confirmed delivery.
    IF p_status = 0 AND p_uses_pass THEN
        -- A pass that was given after the fetch is for another fetch.
        changed_rows := remove_pass(
            p_bank_id => p_bank_id, p_unique_id => p_unique_id, p_up_to => opened.opened_at);
    END IF;
    IF p_status = 0 AND holder.pin_serial = opened.pin_serial THEN
        before := cardholder_digest(holder);
        holder.changes := holder.changes + 1;
        holder.delivered_at := p_now;
        holder.unconfirmed_fetches := 0;
        holder.pin_expires_at := NULL;
        holder.version := nextval('cardholder_version');
        IF p_erases THEN
            holder.sealed_pin := NULL;
            holder.code_mac := NULL;
        END IF;
        UPDATE cardholder SET
            delivered_at = holder.delivered_at, unconfirmed_fetches = holder.unconfirmed_fetches,
            pin_expires_at = holder.pin_expires_at, sealed_pin = holder.sealed_pin, code_mac = holder.code_mac,
            version = holder.version, changes = holder.changes
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id;
        changed_rows := coalesce(changed_rows, '') || row_change(
            p_row_id => holder.row_id, p_changes => holder.changes, p_before => before,
            p_after => cardholder_digest(holder));
        IF p_erases THEN
            UPDATE delivery_session SET token_mac = NULL
                WHERE bank_id = p_bank_id AND unique_id = p_unique_id AND token_mac IS NOT NULL;
        END IF;
    END IF;
    outcome := 'confirmed';
END
$$;
