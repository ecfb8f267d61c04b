-- What a bank's program says of a defined PIN that the connector has handed to it. As a back-end's report, it is in the audit trail.
--
-- The connector's role can do nothing but call this function and lease_forwarded_pins, so they run as the schema's owner.
CREATE OR REPLACE FUNCTION report_forwarded_pin(
    p_bank_id       text,
    p_unique_id     text,
    p_event_id      text,
    p_state         text,    -- 'pending': the host does not have it yet
    p_reason        text,    -- null: none
    p_after_seconds integer, -- when it is handed out again, 1 to 604800; null: never
    OUT outcome     text     -- 'reported', 'unchanged', 'no-cardholder' or 'other-pin'
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = card_companion, pg_temp AS $$
DECLARE
    whom   bytea;
    report record;
    again  timestamptz := CASE WHEN p_after_seconds IS NOT NULL AND p_state IN ('pending', 'sent') THEN
        clock_timestamp() + make_interval(secs => least(greatest(p_after_seconds, 1), 604800)) END;
BEGIN
    -- The connector checks the same. This is for whoever has its role.
    IF p_state IS NULL OR p_state NOT IN ('pending', 'sent', 'effective', 'failed')
        OR p_reason IS NOT NULL AND (
            p_state <> 'failed' OR p_reason !~ E'^[^[:cntrl:]\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]{1,200}$') THEN
        RAISE 'a report of a connector is invalid' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT subject INTO whom FROM forwarded_pin
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id AND event_id = p_event_id;
    IF NOT FOUND THEN
        outcome := 'other-pin';
    ELSIF p_state = 'pending' THEN
        outcome := 'unchanged';
    ELSE
        -- It locks the cardholder first, as everything does that writes both.
        SELECT * INTO report FROM report_chosen_pin(
            p_now => clock_timestamp(), p_bank_id => p_bank_id, p_unique_id => p_unique_id, p_event_id => p_event_id,
            p_state => p_state, p_reason => p_reason);
        outcome := report.outcome;
        IF outcome = 'reported' THEN
            PERFORM append_audit(
                p_now => clock_timestamp(), p_operation => 'report-defined-pin', p_outcome => outcome, p_bank_id => p_bank_id,
                p_subject => whom, p_actor => 'connector', p_detail => p_state, p_rows => report.changed_rows);
        END IF;
    END IF;
    UPDATE forwarded_pin SET
        leased_until = CASE WHEN leased_event = p_event_id THEN NULL ELSE leased_until END,
        -- The cardholder has another PIN since. If the host took the old one only now, it gets the new one again, so that the new one
        -- is its last.
        is_overtaken = is_overtaken OR event_id <> p_event_id AND p_state IN ('sent', 'effective'),
        next_attempt_at = CASE
            WHEN event_id <> p_event_id AND p_state IN ('sent', 'effective') THEN clock_timestamp()
            WHEN event_id <> p_event_id THEN next_attempt_at
            WHEN outcome = 'other-pin' THEN NULL
            WHEN is_overtaken AND p_state <> 'pending' THEN clock_timestamp()
            -- What was brought to an end meanwhile is not put off.
            WHEN p_state = 'pending' AND next_attempt_at IS NULL THEN NULL
            ELSE again END
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id;
END
$$;
