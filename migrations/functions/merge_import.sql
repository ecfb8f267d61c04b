-- Writes the next lines of an import whose body was complete, and deletes them from the staging table. Of several lines for
-- one cardholder only the last one is written, so that the same file again changes nothing.
--
-- The staging table has no useful statistics, so the planner must not choose a sequential scan for each line.
CREATE OR REPLACE FUNCTION merge_import(
    p_now       timestamptz,
    p_bank_id   text,
    p_import_id text,
    p_limit     integer
) RETURNS TABLE (line bigint, unique_id text, is_new boolean)
LANGUAGE plpgsql
SET search_path = card_companion, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
    staged  import_line;
    merged  bigint[];
    is_last boolean;
BEGIN
    merged := ARRAY(
        SELECT line FROM import_line WHERE bank_id = p_bank_id AND import_id = p_import_id
        ORDER BY line LIMIT p_limit);

    -- In the order of unique_id, so that two imports lock cardholders in the same order and cannot deadlock.
    FOR staged IN
        SELECT * FROM import_line
        WHERE bank_id = p_bank_id AND import_id = p_import_id AND line = ANY (merged)
        ORDER BY unique_id, line
    LOOP
        -- The next row by cardholder and line: one step in an index.
        is_last := staged.unique_id IS DISTINCT FROM (
            SELECT next.unique_id FROM import_line AS next
            WHERE next.bank_id = p_bank_id AND next.import_id = p_import_id
                AND (next.unique_id, next.line) > (staged.unique_id, staged.line)
            ORDER BY next.unique_id, next.line LIMIT 1);
        line := staged.line;
        unique_id := staged.unique_id;
        is_new := false;
        IF is_last THEN
            SELECT written.outcome = 'created' INTO is_new FROM write_cardholder(
                p_now => p_now, p_bank_id => p_bank_id, p_unique_id => staged.unique_id, p_may_create => true,
                p_status => staged.status, p_channels => string_to_array(staged.channels, ','),
                p_sets_code => true, p_code_mac => nullif(staged.code_mac, ''),
                p_sets_pin => true, p_sealed_pin => nullif(staged.sealed_pin, ''),
                p_sets_free_field => true, p_sealed_free_field => nullif(staged.sealed_free_field, ''),
                p_unlocks => true, p_provision_mac => staged.provision_mac,
                p_if_version => NULL, p_must_exist => false, p_must_not_exist => false
            ) AS written;
        END IF;
        RETURN NEXT;
    END LOOP;

    DELETE FROM import_line
        WHERE bank_id = p_bank_id AND import_id = p_import_id AND line = ANY (merged);
END
$$;
