-- A bank's events after a position, in order, and remembers that they were given to a reader.
CREATE OR REPLACE FUNCTION read_events(p_bank_id text, p_after bigint, p_limit integer, p_number_limit integer)
RETURNS TABLE (
    event_id bigint, public_id text, "position" bigint, unique_id text, type text, data text, occurred_at timestamptz
) LANGUAGE plpgsql SET search_path = card_companion, pg_temp AS $$
#variable_conflict use_column
DECLARE
    last bigint;
BEGIN
    PERFORM number_events(p_bank_id => p_bank_id, p_limit => p_number_limit);
    RETURN QUERY
        SELECT event.event_id, event.public_id, event.position, event.unique_id::text, event.type,
            event_data(p_event => event), event.occurred_at
        FROM event WHERE bank_id = p_bank_id AND event.position > p_after ORDER BY event.position LIMIT p_limit;
    SELECT max(page.position) INTO last FROM (
        SELECT event.position FROM event WHERE bank_id = p_bank_id AND event.position > p_after
        ORDER BY event.position LIMIT p_limit
    ) AS page;
    IF last IS NOT NULL THEN
        INSERT INTO event_feed AS feed (bank_id, handed_out, lost) VALUES (p_bank_id, last, 0)
            ON CONFLICT (bank_id) DO UPDATE SET handed_out = excluded.handed_out
            WHERE feed.handed_out < excluded.handed_out;
    END IF;
END
$$;
