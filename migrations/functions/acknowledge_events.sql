-- Marks a bank's events up to a position as acknowledged, and erases the sealed PINs in them; false if no reader was given
-- that position.
CREATE OR REPLACE FUNCTION acknowledge_events(p_bank_id text, p_up_to bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = card_companion, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM event_feed WHERE bank_id = p_bank_id AND handed_out >= p_up_to) THEN
        RETURN false;
    END IF;
    WITH marked AS (
        UPDATE event SET acknowledged = true
        WHERE bank_id = p_bank_id AND position <= p_up_to AND NOT acknowledged
        RETURNING event_id
    )
    DELETE FROM defined_pin USING marked
        WHERE defined_pin.bank_id = p_bank_id AND defined_pin.event_id = marked.event_id;
    RETURN true;
END
$$;
