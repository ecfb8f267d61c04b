-- A bank's events after a position, in order, and remembers that they were given to a reader.
CREATE OR REPLACE FUNCTION read_events(p_bank_id text, p_after bigint, p_limit integer, p_number_limit integer)
RETURNS TABLE (
    public_id text, "position" bigint, unique_id text, type text, data text, occurred_at timestamptz
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    found_event event;
BEGIN
    PERFORM number_events(p_bank_id => p_bank_id, p_limit => p_number_limit);
    FOR found_event IN
        SELECT * FROM event WHERE bank_id = p_bank_id AND position > p_after ORDER BY position LIMIT p_limit
    LOOP
        public_id := found_event.public_id;
        position := found_event.position;
        unique_id := found_event.unique_id;
        type := found_event.type;
        data := event_data(p_event => found_event);
        occurred_at := found_event.occurred_at;
        RETURN NEXT;
    END LOOP;
    IF found_event.position IS NOT NULL THEN
        INSERT INTO event_feed AS feed (bank_id, handed_out, lost) VALUES (p_bank_id, position, 0)
            ON CONFLICT (bank_id) DO UPDATE SET handed_out = excluded.handed_out
            WHERE feed.handed_out < excluded.handed_out;
    END IF;
END
$$;
