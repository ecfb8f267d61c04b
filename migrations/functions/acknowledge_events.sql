-- Marks a bank's events up to a position as acknowledged, and erases the sealed PINs in them; false if no reader was given
-- that position.
CREATE OR REPLACE FUNCTION acknowledge_events(p_bank_id text, p_up_to bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    -- 0 is the first cursor of all, and 'lost' the one that a 410 gave.
    IF p_up_to > 0 AND NOT EXISTS (
        SELECT FROM event_feed WHERE bank_id = p_bank_id AND greatest(handed_out, lost) >= p_up_to
    ) THEN
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
