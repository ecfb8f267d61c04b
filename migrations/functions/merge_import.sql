-- Writes the next lines of an import whose body was complete, and deletes them from the staging table. Lines for one
-- cardholder are written in their order. Each line that changes something has an entry of the audit trail, and so has the batch.
--
-- The staging table has no useful statistics, so the planner must not choose a sequential scan for each batch.
CREATE OR REPLACE FUNCTION merge_import(
    p_now       timestamptz,
    p_bank_id   text,
    p_import_id text,
    p_limit     integer,
    p_actor     text,
    p_undelivered_lifetime_days integer -- the bank's setting
) RETURNS TABLE (line bigint, unique_id text, outcome text, pin text, unknown_members text)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
    staged import_line;
    last_line bigint;
    merged integer := 0;
    changed_rows bytea;
    detail text := 'import ' || p_import_id;
BEGIN
    -- A range, not a list: for a list, PostgreSQL would compare each remaining line with each line in the list.
    SELECT max(next.line) INTO last_line FROM (
        SELECT line FROM import_line WHERE bank_id = p_bank_id AND import_id = p_import_id
        ORDER BY line LIMIT p_limit) AS next;

    -- In the order of unique_id, so that two imports lock cardholders in the same order and cannot deadlock.
    FOR staged IN
        SELECT * FROM import_line
        WHERE bank_id = p_bank_id AND import_id = p_import_id AND line <= last_line
        ORDER BY unique_id, line
    LOOP
        merged := merged + 1;
        line := staged.line;
        unique_id := staged.unique_id;
        unknown_members := staged.unknown_members;
        IF staged.change IS NULL THEN
            pin := NULL;
            SELECT deleted.outcome, deleted.changed_rows INTO outcome, changed_rows FROM delete_cardholder(
                p_now => p_now, p_bank_id => p_bank_id, p_unique_id => staged.unique_id, p_if_version => NULL,
                p_must_not_exist => false, p_call_key => NULL, p_call_mac => NULL, p_call_expires_at => NULL
            ) AS deleted;
            -- Importing the same file again must do no harm.
            outcome := replace(outcome, 'absent', 'unchanged');
        ELSE
            SELECT written.outcome, written.pin, written.changed_rows INTO outcome, pin, changed_rows FROM write_cardholder(
                p_now => p_now, p_bank_id => p_bank_id, p_unique_id => staged.unique_id, p_change => staged.change,
                p_if_version => NULL, p_must_exist => false, p_must_not_exist => false, p_call_key => NULL,
                p_call_mac => NULL, p_call_expires_at => NULL,
                p_undelivered_lifetime_days => p_undelivered_lifetime_days
            ) AS written;
        END IF;
        IF outcome <> 'unchanged' OR changed_rows IS NOT NULL THEN
            PERFORM append_audit(
                p_now => p_now, p_operation => 'import', p_outcome => outcome, p_bank_id => p_bank_id,
                p_subject => staged.subject, p_actor => p_actor, p_detail => detail, p_rows => changed_rows);
        END IF;
        RETURN NEXT;
    END LOOP;
    IF merged > 0 THEN
        PERFORM append_audit(
            p_now => p_now, p_operation => 'import', p_outcome => merged || ' lines', p_bank_id => p_bank_id,
            p_subject => NULL, p_actor => p_actor, p_detail => detail);
    END IF;

    DELETE FROM import_line
        WHERE bank_id = p_bank_id AND import_id = p_import_id AND line <= last_line;
END
$$;
