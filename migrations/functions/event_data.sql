-- The details of an event as the bank gets them, in JSON, with the sealed PIN while it is stored.
CREATE OR REPLACE FUNCTION event_data(p_event event) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT (p_event.data || coalesce((
        SELECT jsonb_build_object('pin', pin) FROM defined_pin
        WHERE bank_id = p_event.bank_id AND event_id = p_event.event_id
    ), '{}'))::text
$$;
