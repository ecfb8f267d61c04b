-- One entry of the audit trail, in the transaction that it records: if it cannot be written, the operation fails.
--
-- Each connection has a chain of its own, named by its process id, so that connections do not wait for each other. Only one
-- connection has an id at a time, and it sees what an earlier one with that id has committed. An entry's hash covers the hash
-- before it, so entries cannot be altered, dropped or reordered without a trace. CardCompanion/Audit/AuditChain computes the
-- same hash.
CREATE OR REPLACE FUNCTION append_audit(
    p_now       timestamptz,
    p_operation text,
    p_outcome   text,
    p_bank_id   text,  -- null for the installation's own
    p_subject   bytea, -- a pseudonym of the cardholder; null if there is none
    p_actor     text,
    p_detail    text,
    p_rows      bytea DEFAULT NULL -- the rows that were changed, as row_change makes them; null: none
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    chain         integer := pg_backend_pid();
    last_sequence bigint;
    last_hash     bytea;
BEGIN
    SELECT sequence, hash INTO last_sequence, last_hash FROM audit_entry
        WHERE chain_id = chain ORDER BY sequence DESC LIMIT 1;
    IF last_sequence IS NULL THEN
        -- Its entries may have been closed and removed.
        SELECT sequence, hash INTO last_sequence, last_hash FROM audit_head WHERE chain_id = chain;
    END IF;
    last_sequence := coalesce(last_sequence, 0) + 1;
    INSERT INTO audit_entry (
        chain_id, sequence, occurred_at, operation, outcome, bank_id, subject, actor, detail, rows, hash)
    VALUES (
        chain, last_sequence, p_now, p_operation, p_outcome, p_bank_id, p_subject, p_actor, p_detail, p_rows,
        sha256(
            coalesce(last_hash, ''::bytea) || int4send(chain) || int8send(last_sequence) || timestamptz_send(p_now)
            || int4send(octet_length(p_operation)) || convert_to(p_operation, 'UTF8')
            || int4send(octet_length(p_outcome)) || convert_to(p_outcome, 'UTF8')
            || int4send(coalesce(octet_length(p_bank_id), -1)) || convert_to(coalesce(p_bank_id, ''), 'UTF8')
            || int4send(coalesce(octet_length(p_subject), -1)) || coalesce(p_subject, '')
            || int4send(octet_length(p_actor)) || convert_to(p_actor, 'UTF8')
            || int4send(coalesce(octet_length(p_detail), -1)) || convert_to(coalesce(p_detail, ''), 'UTF8')
            || int4send(coalesce(octet_length(p_rows), -1)) || coalesce(p_rows, '')));
END
$$;
