-- What a bank's program says of a defined PIN that the connector has handed to it. As a back-end's report, it is in the audit trail.
--
-- The connector's role can do nothing but call this function and lease_forwarded_pins, so they run as the schema's owner.
CREATE OR REPLACE FUNCTION report_forwarded_pin(
    p_bank_id       text,
    p_unique_id     text,
    p_event_id      text,
    p_state         text,    -- 'pending': the host does not have it yet
    p_reason        text,    -- null: none
    p_after_seconds integer, -- when it is handed out again; null: never
    OUT outcome     text     -- 'reported', 'unchanged', 'no-cardholder' or 'other-pin'
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = card_companion, pg_temp AS $$
DECLARE
    whom   bytea;
    report record;
BEGIN
    SELECT subject INTO whom FROM forwarded_pin
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id AND event_id = p_event_id;
    IF NOT FOUND THEN
        outcome := 'other-pin';
        RETURN;
    END IF;
    outcome := 'unchanged';
    IF p_state <> 'pending' THEN
        -- It locks the cardholder first, as everything does that writes both.
        SELECT * INTO report FROM report_chosen_pin(
            p_now => clock_timestamp(), p_bank_id => p_bank_id, p_unique_id => p_unique_id, p_event_id => p_event_id,
            p_state => p_state, p_reason => p_reason);
        outcome := report.outcome;
        PERFORM append_audit(
            p_now => clock_timestamp(), p_operation => 'report-defined-pin', p_outcome => outcome, p_bank_id => p_bank_id,
            p_subject => whom, p_actor => 'connector', p_detail => p_state, p_rows => report.changed_rows);
    END IF;
    UPDATE forwarded_pin SET next_attempt_at = CASE WHEN outcome IN ('reported', 'unchanged') THEN
            clock_timestamp() + make_interval(secs => p_after_seconds) END
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id AND event_id = p_event_id;
END
$$;
