-- Erases a cardholder and everything that is stored about them. p_if_version is If-Match; null: any.
CREATE OR REPLACE FUNCTION delete_cardholder(
    p_bank_id        text,
    p_unique_id      text,
    p_if_version     bigint,
    p_must_not_exist boolean, -- If-None-Match: *
    OUT outcome text          -- 'deleted', 'absent', 'precondition-failed'
) LANGUAGE plpgsql SET search_path = card_companion, pg_temp AS $$
DECLARE
    holder cardholder;
BEGIN
    SELECT * INTO holder FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id FOR UPDATE;
    IF NOT FOUND THEN
        outcome := 'absent';
        RETURN;
    END IF;
    IF p_must_not_exist OR holder.version <> p_if_version THEN
        outcome := 'precondition-failed';
        RETURN;
    END IF;
    DELETE FROM cardholder WHERE bank_id = p_bank_id AND unique_id = p_unique_id;
    outcome := 'deleted';
END
$$;
