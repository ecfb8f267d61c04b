-- Hands a bank's connector the defined PINs that are due, the one that has waited longest first. Until its lease has ended, no other
-- connector gets it. A PIN that the bank has replaced since is not handed out.
--
-- The connector's role can do nothing but call this function and report_forwarded_pin, so they run as the schema's owner.
CREATE OR REPLACE FUNCTION lease_forwarded_pins(
    p_bank_id       text,
    p_limit         integer, -- 1 to 64
    p_lease_seconds integer  -- 1 to 3700
) RETURNS TABLE (
    r_unique_id  text,
    r_event_id   text,
    r_defined_at timestamptz,
    r_state      text,   -- the last that was reported
    r_attempt    integer -- the first is 1
) LANGUAGE sql SECURITY DEFINER SET search_path = card_companion, pg_temp AS $$
    WITH due AS (
        SELECT forwarded.unique_id, chosen.state, chosen.pin_serial = holder.pin_serial AS is_present
        FROM forwarded_pin AS forwarded
            -- A definition at this moment can have replaced one of them. Then this row is due at the next call.
            JOIN chosen_pin AS chosen USING (bank_id, unique_id, event_id)
            JOIN cardholder AS holder USING (bank_id, unique_id)
        WHERE forwarded.bank_id = p_bank_id AND forwarded.next_attempt_at <= clock_timestamp()
            AND (forwarded.leased_until IS NULL OR forwarded.leased_until <= clock_timestamp())
        ORDER BY forwarded.next_attempt_at LIMIT least(greatest(coalesce(p_limit, 1), 1), 64)
        FOR UPDATE OF forwarded SKIP LOCKED
    ), leased AS (
        UPDATE forwarded_pin AS forwarded SET
            attempts = attempts + CASE WHEN due.is_present THEN 1 ELSE 0 END,
            next_attempt_at = CASE WHEN due.is_present THEN next_attempt_at END,
            leased_until = CASE WHEN due.is_present THEN
                clock_timestamp() + make_interval(secs => least(greatest(coalesce(p_lease_seconds, 1), 1), 3700)) END,
            leased_event = event_id, is_overtaken = false
        FROM due WHERE forwarded.bank_id = p_bank_id AND forwarded.unique_id = due.unique_id
        RETURNING forwarded.unique_id, event_id, defined_at, due.state, attempts, due.is_present
    )
    SELECT unique_id::text, event_id::text, defined_at, state, attempts FROM leased WHERE is_present ORDER BY defined_at
$$;
