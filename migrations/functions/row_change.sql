-- A change of a row of cardholders or passes, as an entry of the audit trail has it: 48 bytes. The digests bind each change to
-- the one before it, so that a change without an entry shows (docs/audit.md).
CREATE OR REPLACE FUNCTION row_change(
    p_row_id  bigint,
    p_changes bigint, -- how many changes the row has had, with this one
    p_before  bytea,  -- the digest before the change; null: the row is new
    p_after   bytea   -- the digest after it; null: the row is gone
) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT int8send(p_row_id) || int8send(p_changes) || coalesce(p_before, '\x00000000000000000000000000000000')
        || coalesce(p_after, '\x00000000000000000000000000000000')
$$;
