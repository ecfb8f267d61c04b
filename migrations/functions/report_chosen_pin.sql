-- What a bank says of a defined PIN: whether its host has it. The last report counts. GET shows it, so the cardholder gets
-- another version.
CREATE OR REPLACE FUNCTION report_chosen_pin(
    p_now       timestamptz,
    p_bank_id   text,
    p_unique_id text,
    p_event_id  text, -- the public id of the event pin.defined
    p_state     text,
    p_reason    text, -- null: none
    OUT outcome      text,  -- 'reported', 'unchanged', or what was wrong
    OUT version      bigint,
    OUT stated_at    timestamptz,
    OUT changed_rows bytea  -- for the audit trail
) LANGUAGE plpgsql AS $$
DECLARE
    holder  cardholder;
    before  cardholder;
    defined chosen_pin;
BEGIN
    SELECT * INTO holder FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
    IF NOT FOUND THEN
        outcome := 'no-cardholder';
        RETURN;
    END IF;
    SELECT * INTO defined FROM chosen_pin
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id AND event_id = p_event_id
            AND pin_serial = holder.pin_serial;
    IF NOT FOUND THEN
        outcome := 'other-pin';
        RETURN;
    END IF;
    version := holder.version;
    stated_at := defined.stated_at;
    IF (defined.state, defined.reason) IS NOT DISTINCT FROM (p_state, p_reason) THEN
        outcome := 'unchanged';
        RETURN;
    END IF;
    UPDATE chosen_pin AS chosen SET state = p_state, reason = p_reason, stated_at = p_now
        WHERE chosen.bank_id = p_bank_id AND chosen.unique_id = p_unique_id;
    -- What the back-end itself has brought to an end, the connector does not hand out again.
    IF p_state IN ('effective', 'failed') THEN
        UPDATE forwarded_pin AS forwarded SET next_attempt_at = NULL
            WHERE forwarded.bank_id = p_bank_id AND forwarded.unique_id = p_unique_id AND next_attempt_at IS NOT NULL;
    END IF;
    before := holder;
    UPDATE cardholder SET version = nextval('cardholder_version'), changes = changes + 1
        WHERE bank_id = p_bank_id AND unique_id = p_unique_id
        RETURNING * INTO holder;
    version := holder.version;
    stated_at := p_now;
    changed_rows := changed_cardholder(p_before => before, p_after => holder);
    outcome := 'reported';
END
$$;
