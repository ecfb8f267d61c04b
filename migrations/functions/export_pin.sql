-- One export of a defined PIN for the issuer's host: counts, checks that the PIN is still the one that was exported, pairs PAN and
-- cardholder, writes the event, and keeps the answer for repetitions.
--
-- The answer was made before, with the bank at p_bank_revision. It leaves the server only if the outcome is 'exported'.
CREATE OR REPLACE FUNCTION export_pin(
    p_now               timestamptz,
    p_bank_id           text,
    p_bank_revision     bigint,
    p_unique_id         text,
    p_event_id          text, -- of the PIN's definition
    p_pan_digest        bytea,
    p_cardholder_digest bytea,
    p_call_key          text, -- Idempotency-Key
    p_call_mac          bytea,
    p_call_expires_at   timestamptz,
    p_answer            text, -- a JWE to the bank
    p_data              jsonb, -- what the event says besides the event of the definition
    p_daily_limit       integer, -- for the cardholder, and for the PAN
    p_rate_limit        integer, -- per second for the bank
    OUT outcome         text,
    OUT retry_after     integer -- in seconds; null if another attempt is of no use
) LANGUAGE plpgsql AS $$
DECLARE
    defined chosen_pin;
    asked   integer;
    today   date := (p_now AT TIME ZONE 'UTC')::date;
BEGIN
    outcome := begin_call(p_now => p_now, p_bank_id => p_bank_id, p_key => p_call_key);
    IF outcome <> 'first' THEN
        RETURN;
    END IF;
    PERFORM FROM bank WHERE bank_id = p_bank_id AND revision = p_bank_revision AND status = 'ACTIVE';
    IF NOT FOUND THEN
        outcome := 'stale';
        RETURN;
    END IF;
    -- From here on, the bank's exports wait for each other, before they lock a cardholder: so no fetch waits for them. The second is by
    -- the database's clock. The row can have a later one: this export has waited for it, or the clock was set back since.
    INSERT INTO pin_export_rate AS rate (bank_id, second, count) VALUES (p_bank_id, date_trunc('second', clock_timestamp()), 1)
        ON CONFLICT (bank_id) DO UPDATE SET
            second = CASE WHEN rate.second BETWEEN excluded.second AND excluded.second + interval '1 minute'
                THEN rate.second ELSE excluded.second END,
            count = CASE WHEN rate.second BETWEEN excluded.second AND excluded.second + interval '1 minute'
                THEN least(rate.count + 1, p_rate_limit + 1) ELSE 1 END
        RETURNING count INTO asked;
    IF asked > p_rate_limit THEN
        outcome := 'too-many-now';
        retry_after := 1;
        RETURN;
    END IF;
    -- The cardholder before anything else of theirs, as everywhere, so that their events are in order.
    PERFORM FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
    IF NOT FOUND THEN
        outcome := 'no-cardholder';
        RETURN;
    END IF;
    SELECT chosen.* INTO defined FROM chosen_pin AS chosen JOIN cardholder USING (bank_id, unique_id)
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id AND chosen.event_id = p_event_id
            AND chosen.pin_serial = cardholder.pin_serial AND sealed_pin IS NOT NULL
            AND (pin_expires_at IS NULL OR pin_expires_at > p_now);
    IF NOT FOUND THEN
        outcome := 'no-defined-pin';
        RETURN;
    END IF;

    IF EXISTS (
        SELECT FROM pan_binding WHERE bank_id = p_bank_id
            AND (pan_digest = p_pan_digest) <> (cardholder_digest = p_cardholder_digest)
            AND (pan_digest = p_pan_digest OR cardholder_digest = p_cardholder_digest)
    ) THEN
        outcome := 'bound-otherwise';
        RETURN;
    END IF;
    IF EXISTS (
        SELECT FROM pin_export_count WHERE bank_id = p_bank_id AND digest IN (p_pan_digest, p_cardholder_digest)
            AND day >= today AND count >= p_daily_limit
    ) THEN
        outcome := 'too-many-today';
        retry_after := greatest(1, ceil(extract(epoch FROM (today + 1) - (p_now AT TIME ZONE 'UTC'))));
        RETURN;
    END IF;

    INSERT INTO pan_binding (bank_id, pan_digest, cardholder_digest, bound_at)
        VALUES (p_bank_id, p_pan_digest, p_cardholder_digest, p_now) ON CONFLICT DO NOTHING;
    INSERT INTO pin_export_count AS counted (bank_id, digest, day, count)
        VALUES (p_bank_id, p_pan_digest, today, 1), (p_bank_id, p_cardholder_digest, today, 1)
        ON CONFLICT (bank_id, digest) DO UPDATE SET
            count = CASE WHEN counted.day >= excluded.day THEN counted.count + 1 ELSE 1 END,
            day = greatest(counted.day, excluded.day);
    INSERT INTO event (bank_id, unique_id, type, data, occurred_at) VALUES (
        p_bank_id, p_unique_id, 'pin.exported', jsonb_build_object('event', defined.event_id) || p_data, p_now);
    INSERT INTO idempotent_answer (bank_id, idempotency_key, request_mac, outcome, answer, expires_at)
        VALUES (p_bank_id, p_call_key, p_call_mac, 'exported', p_answer, p_call_expires_at)
        ON CONFLICT (bank_id, idempotency_key) DO UPDATE SET
            request_mac = excluded.request_mac, outcome = excluded.outcome, version = NULL, pin = NULL,
            answer = excluded.answer, expires_at = excluded.expires_at;
    outcome := 'exported';
END
$$;
