-- The end of a pass, for the audit trail.
CREATE OR REPLACE FUNCTION removed_pass(p_row identity_pass) RETURNS bytea LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN row_change(p_row_id => p_row.row_id, p_changes => 2, p_before => pass_digest(p_row), p_after => NULL);
END
$$;
