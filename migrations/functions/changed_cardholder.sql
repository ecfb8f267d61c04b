-- The change of a cardholder's row, for the audit trail. Whoever changes a row also adds one to its changes.
CREATE OR REPLACE FUNCTION changed_cardholder(
    p_before cardholder, -- null: the row is new
    p_after  cardholder  -- null: the row is gone
) RETURNS bytea LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN row_change(
        p_row_id => coalesce(p_after.row_id, p_before.row_id), p_changes => coalesce(p_after.changes, p_before.changes + 1),
        p_before => CASE WHEN p_before.row_id IS NOT NULL THEN cardholder_digest(p_before) END,
        p_after => CASE WHEN p_after.row_id IS NOT NULL THEN cardholder_digest(p_after) END);
END
$$;
