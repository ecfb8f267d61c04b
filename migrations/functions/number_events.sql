-- Gives a bank's new events their positions, at most p_limit. One caller at a time does this for a bank, and the next one
-- sees everything that was numbered: no event can appear before one that a reader has already seen.
CREATE OR REPLACE FUNCTION number_events(p_bank_id text, p_limit integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM event WHERE bank_id = p_bank_id AND position IS NULL) THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('number_events ' || p_bank_id, 0));
    -- Materialized, so that nextval runs once per event and in this order, whatever plan is chosen.
    WITH numbered AS MATERIALIZED (
        SELECT event_id, nextval('event_position') AS position
        FROM (
            SELECT event_id FROM event WHERE bank_id = p_bank_id AND position IS NULL ORDER BY event_id LIMIT p_limit
        ) AS unnumbered
    )
    UPDATE event SET position = numbered.position FROM numbered
        WHERE event.bank_id = p_bank_id AND event.event_id = numbered.event_id;
END
$$;
