-- AcceptCall
PREPARE recorded (text, text, text, bytea, bytea, timestamptz, timestamptz) AS
WITH valid AS (
    SELECT FROM issuer_key
    WHERE bank_id = $1 AND key_id = $2 AND algorithm = $3 AND coalesce(public_key, sealed_secret) = $4
        AND status = 'ACTIVE'
), spent AS (
    INSERT INTO spent_proof (bank_id, kind, digest, expires_at) SELECT $1, 'nonce', $5, $6 FROM valid
    ON CONFLICT DO NOTHING RETURNING digest
)
SELECT EXISTS (SELECT FROM valid), EXISTS (SELECT FROM spent), bank_id, revision, status, settings, requests_from,
ARRAY(
    SELECT fingerprint FROM certificate LEFT JOIN revocation_list AS list USING (bank_id, issuer)
    WHERE bank_id = bank.bank_id AND purpose = 'client' AND status = 'ACTIVE'
        AND (list.next_update IS NULL OR list.next_update > $7 AND NOT EXISTS (
            SELECT FROM revoked_certificate AS revoked
            WHERE (revoked.bank_id, revoked.issuer, revoked.serial)
                = (certificate.bank_id, certificate.issuer, certificate.serial)))
)
FROM bank WHERE bank_id = $1;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- AcknowledgeEvents
PREPARE recorded (text, bigint, timestamptz, text) AS
SELECT is_done, append_audit(
    p_now => $3, p_operation => 'acknowledge-events',
    p_outcome => CASE WHEN is_done THEN 'acknowledged' ELSE 'unknown-position' END, p_bank_id => $1,
    p_subject => NULL, p_actor => $4, p_detail => 'up to ' || $2::bigint)
FROM acknowledge_events(p_bank_id => $1, p_up_to => $2) AS is_done;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- AppendAudit
PREPARE recorded (timestamptz, text, text, text, bytea, text, text, bytea) AS
SELECT append_audit(
    p_now => $1, p_operation => $2, p_outcome => $3, p_bank_id => $4, p_subject => $5, p_actor => $6,
    p_detail => $7, p_rows => $8);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- AppendCommandAudit
PREPARE recorded (text, text, text, text, text) AS
SELECT append_audit(
    p_now => clock_timestamp(), p_operation => $1, p_outcome => $2, p_bank_id => $3, p_subject => NULL,
    p_actor => $4, p_detail => $5)
WHERE pg_current_xact_id_if_assigned() IS NOT NULL;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- BeginIdentitySession
PREPARE recorded (text, text, bytea, text, timestamptz, timestamptz) AS
UPDATE identity_check SET session_count = session_count + 1, session_id = $4, session_ends_at = $6
WHERE bank_id = $1 AND client_id = $2 AND validation_digest = $3 AND expires_at > $5 AND session_count < 5
    AND (session_ends_at IS NULL OR session_ends_at <= $5)
RETURNING unique_id, expectation_mac, expectation;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- DefinePIN
PREPARE recorded (timestamptz, text, bigint, text, bytea, timestamptz, bytea, timestamptz, text, bytea, timestamptz, bytea, boolean, text, text, bytea, text, text, integer, integer, integer, boolean, text, integer, boolean, bytea) AS
SELECT outcome,
    CASE WHEN outcome <> 'stale' THEN append_audit(
        p_now => $1, p_operation => 'define', p_outcome => outcome, p_bank_id => $2, p_subject => $16,
        p_actor => $17, p_detail => $18, p_rows => changed_rows) END
FROM define_pin(
    p_now => $1, p_bank_id => $2, p_bank_revision => $3, p_unique_id => $4, p_transaction_digest => $5,
    p_transaction_expires_at => $6, p_hmac_digest => $7, p_hmac_expires_at => $8, p_choice => $9,
    p_keypad_digest => $10, p_keypad_expires_at => $11, p_sealed_pin => $12, p_is_possible => $13,
    p_pin_for_bank => $14, p_event_id => $15, p_retry_limit => $19, p_fetch_limit => $20,
    p_definitions_per_day => $21, p_definition_resets_delivery => $22, p_retention => $23,
    p_undelivered_lifetime_days => $24, p_needs_pass => $25, p_pass_mac => $26);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- DeleteCardholder
PREPARE recorded (timestamptz, text, text, bigint, boolean, text, bytea, timestamptz, bytea, text, text) AS
SELECT outcome, NULL::bigint, NULL::text, append_audit(
    p_now => $1, p_operation => 'delete-cardholder', p_outcome => outcome, p_bank_id => $2, p_subject => $9,
    p_actor => $10, p_detail => $11, p_rows => changed_rows)
FROM delete_cardholder(
    p_now => $1, p_bank_id => $2, p_unique_id => $3, p_if_version => $4, p_must_not_exist => $5,
    p_call_key => $6, p_call_mac => $7, p_call_expires_at => $8);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- EndIdentitySession
PREPARE recorded AS
WITH ended AS (
    UPDATE identity_check SET session_id = NULL, session_ends_at = NULL
    WHERE bank_id = $1 AND unique_id = $2 AND session_id = $3
    RETURNING bank_id
)
SELECT append_audit(
    p_now => $4, p_operation => 'verify document', p_outcome => $5, p_bank_id => bank_id, p_subject => $6,
    p_actor => $7, p_detail => $8)
FROM ended;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- FailDelivery
PREPARE recorded (bigint, timestamptz, text, timestamptz, text) AS
WITH failed AS (
    UPDATE webhook_delivery SET
        status = CASE WHEN $2::timestamptz IS NULL THEN 'PARKED' ELSE 'PENDING' END,
        next_attempt_at = coalesce($2, next_attempt_at), leased_until = NULL, last_error = left($3, 500)
    WHERE bank_id = $5 AND event_id = $1 AND status = 'PENDING' AND leased_until = $4
    RETURNING bank_id, unique_id, event_id
)
-- Later events of the cardholder wait for this one.
UPDATE webhook_delivery AS later SET next_attempt_at = greatest(later.next_attempt_at, $2) FROM failed
WHERE later.bank_id = failed.bank_id AND later.unique_id = failed.unique_id
    AND later.event_id > failed.event_id AND later.status = 'PENDING';
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- FetchPIN
PREPARE recorded (timestamptz, text, bigint, text, text, boolean, bytea, bytea, timestamptz, boolean, boolean, bytea[], text, bytea, bytea[], bytea, text, text, integer, text, boolean, integer, integer, boolean, text, bytea) AS
SELECT outcome, sealed_pin, sealed_free_field, accessibility,
    CASE WHEN outcome <> 'stale' THEN append_audit(
        p_now => $1, p_operation => 'fetch', p_bank_id => $2, p_subject => $16,
        -- The lock has an event of its own.
        p_outcome => CASE outcome
            WHEN 'delivered-locks' THEN 'delivered' WHEN 'wrong-code-locks' THEN 'wrong-code' ELSE outcome
        END,
        p_actor => $17, p_detail => $18, p_rows => changed_rows) END
FROM fetch_pin(
    p_now => $1, p_bank_id => $2, p_bank_revision => $3, p_unique_id => $4, p_channel => $5,
    p_is_reminder => $6, p_transaction_digest => $7, p_hmac_digest => $8, p_hmac_expires_at => $9,
    p_code_is_checked => $10, p_code_has_form => $11, p_code_macs => $12, p_session_id => $13,
    p_token_mac => $14, p_confirmations => $15, p_session_lifetime_seconds => $19, p_retention => $20,
    p_reminders => $21, p_retry_limit => $22, p_fetch_limit => $23, p_needs_pass => $24,
    p_programme => $25, p_pass_mac => $26);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- FinishDelivery
PREPARE recorded (text, bigint, timestamptz, timestamptz) AS
WITH delivered AS (
    UPDATE webhook_delivery SET status = 'DELIVERED', leased_until = NULL, last_error = NULL
    WHERE bank_id = $1 AND event_id = $2 AND status = 'PENDING' AND leased_until = $3
    RETURNING event_id
), acknowledged AS (
    UPDATE event SET acknowledged = true FROM delivered, webhook
    WHERE event.bank_id = $1 AND event.event_id = delivered.event_id
        AND webhook.bank_id = $1 AND webhook.acknowledges AND NOT event.acknowledged
    RETURNING event.event_id, event.public_id
), erased AS (
    DELETE FROM defined_pin USING acknowledged
    WHERE defined_pin.bank_id = $1 AND defined_pin.event_id = acknowledged.event_id
)
SELECT append_audit(
    p_now => $4, p_operation => 'acknowledge-events', p_outcome => 'acknowledged', p_bank_id => $1,
    p_subject => NULL, p_actor => 'webhook', p_detail => 'event ' || public_id)
FROM acknowledged;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- LeaseDeliveries
PREPARE recorded (text, timestamptz, integer, timestamptz) AS
WITH due AS (
    SELECT event_id FROM webhook_delivery AS delivery
    WHERE bank_id = $1 AND status = 'PENDING' AND next_attempt_at <= $2
        AND (leased_until IS NULL OR leased_until <= $2)
        -- One step in an index, whatever the planner estimates.
        AND event_id = (
            SELECT min(earlier.event_id) FROM webhook_delivery AS earlier
            WHERE earlier.bank_id = $1 AND earlier.unique_id = delivery.unique_id AND earlier.status = 'PENDING'
        )
    ORDER BY next_attempt_at LIMIT $3 FOR UPDATE SKIP LOCKED
)
UPDATE webhook_delivery AS delivery SET leased_until = $4, attempts = attempts + 1
FROM due WHERE delivery.bank_id = $1 AND delivery.event_id = due.event_id
RETURNING delivery.bank_id, delivery.event_id, delivery.attempts, delivery.pending_since, delivery.leased_until;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- MakeIdentityCheck
PREPARE recorded AS
SELECT outcome, append_audit(
    p_now => $7, p_operation => 'make identity check',
    p_outcome => CASE outcome WHEN 'created' THEN outcome ELSE 'refused' END, p_bank_id => $1, p_subject => $9,
    p_actor => $10, p_detail => $11, p_rows => changed_rows)
FROM make_identity_check(
    p_now => $7, p_bank_id => $1, p_unique_id => $2, p_client_id => $3, p_validation_digest => $4,
    p_expectation_mac => $5, p_expectation => $6, p_expires_at => $8);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- MergeLines
PREPARE recorded (timestamptz, text, text, integer, text, integer) AS
SELECT line, unique_id, outcome, NULL::bigint, pin, unknown_members
FROM merge_import(
    p_now => $1, p_bank_id => $2, p_import_id => $3, p_limit => $4, p_actor => $5,
    p_undelivered_lifetime_days => $6)
ORDER BY line;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- NotifyDelivery
PREPARE recorded (timestamptz, text, bigint, text, text, text, bytea[], integer, bytea, bytea, text, text, boolean, boolean) AS
SELECT outcome,
    CASE WHEN outcome <> 'stale' THEN append_audit(
        p_now => $1, p_operation => 'notify', p_outcome => outcome, p_bank_id => $2, p_subject => $10,
        p_actor => $11, p_detail => $12, p_rows => changed_rows) END
FROM notify_delivery(
    p_now => $1, p_bank_id => $2, p_bank_revision => $3, p_unique_id => $4, p_session_id => $5,
    p_channel => $6, p_token_macs => $7, p_status => $8, p_confirmation => $9, p_erases => $13,
    p_uses_pass => $14);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- PassIdentityCheck
PREPARE recorded AS
SELECT has_passed, append_audit(
    p_now => $1, p_operation => 'verify document',
    p_outcome => CASE WHEN has_passed THEN 'passed' ELSE 'passed too late' END, p_bank_id => $2, p_subject => $6,
    p_actor => $7, p_detail => $8, p_rows => changed_rows)
FROM pass_identity_check(
    p_now => $1, p_bank_id => $2, p_unique_id => $3, p_session_id => $4, p_data => $5::jsonb,
    p_validation_digest => $9, p_expires_at => $10, p_mac => $11);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- ReadEvents
PREPARE recorded (text, bigint, integer, integer) AS
SELECT public_id, position, unique_id, type, data, occurred_at FROM read_events(
    p_bank_id => $1, p_after => $2, p_limit => $3, p_number_limit => $4);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectCardholder
PREPARE recorded (text, text) AS
SELECT unique_id, status, channels, definition, accessibility, code_mac IS NOT NULL, authentication_failures,
    sealed_pin IS NOT NULL, pin_version, pin_expires_at, delivered_at, unconfirmed_fetches,
    sealed_free_field IS NOT NULL, version, created_at, updated_at
FROM cardholder WHERE bank_id = $1 AND unique_id = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- SelectCardholderExists
PREPARE recorded (text, bigint, text) AS
SELECT EXISTS (SELECT FROM cardholder WHERE bank_id = $1 AND unique_id = $3)
FROM bank WHERE bank_id = $1 AND revision = $2 AND status = 'ACTIVE';
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectCurrentDocumentClient
PREPARE recorded (text) AS
SELECT client_id, bank_id, is_unbound, result_url, result_is_private, status, created_at, (SELECT revision FROM bank WHERE bank.bank_id = document_client.bank_id), (
    SELECT concat_ws(' ', scope, encode(sha256(sealed_digest), 'hex'), (
    SELECT encode(sha256(string_agg(issuer || digest, '' ORDER BY issuer)), 'hex')
    FROM trust_revocation_list AS revocation WHERE revocation.scope = trust_list.scope))
FROM trust_list WHERE scope IN (document_client.bank_id, '') ORDER BY scope DESC LIMIT 1)
FROM document_client WHERE client_id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectDueBanks
PREPARE recorded (timestamptz) AS
SELECT bank_id FROM webhook JOIN bank USING (bank_id)
WHERE webhook.status = 'ACTIVE' AND bank.status = 'ACTIVE' AND EXISTS (
    SELECT FROM webhook_delivery AS delivery
    WHERE delivery.bank_id = webhook.bank_id AND delivery.status = 'PENDING' AND next_attempt_at <= $1
        AND (leased_until IS NULL OR leased_until <= $1)
);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectEvent
PREPARE recorded (text, bigint) AS
SELECT public_id, position, unique_id, type, event_data(p_event => event), occurred_at
FROM event WHERE bank_id = $1 AND event_id = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- SelectIdempotentAnswer
PREPARE recorded (text, text, timestamptz) AS
SELECT request_mac, outcome, version, pin FROM idempotent_answer
WHERE bank_id = $1 AND idempotency_key = $2 AND expires_at > $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectIdentityPass
PREPARE recorded AS
SELECT validation_digest, passed_at, expires_at, mac FROM identity_pass WHERE bank_id = $1 AND unique_id = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- SelectIssuerBank
PREPARE recorded (text, timestamptz) AS
SELECT bank_id, revision, status, settings, requests_from,
ARRAY(
    SELECT fingerprint FROM certificate LEFT JOIN revocation_list AS list USING (bank_id, issuer)
    WHERE bank_id = bank.bank_id AND purpose = 'client' AND status = 'ACTIVE'
        AND (list.next_update IS NULL OR list.next_update > $2 AND NOT EXISTS (
            SELECT FROM revoked_certificate AS revoked
            WHERE (revoked.bank_id, revoked.issuer, revoked.serial)
                = (certificate.bank_id, certificate.issuer, certificate.serial)))
) FROM bank WHERE bank_id = $1;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- SelectIssuerKeys
PREPARE recorded (text[]) AS
SELECT key_id, bank_id, algorithm, public_key, sealed_secret, status, created_at FROM issuer_key JOIN issuer_key_owner USING (bank_id, key_id)
WHERE key_id = ANY ($1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectLostPosition
PREPARE recorded (text) AS
SELECT lost FROM event_feed WHERE bank_id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- StageLines
PREPARE recorded (text, text, timestamptz, bigint[], text[], text[], bytea[], text[]) AS
INSERT INTO import_line (import_id, bank_id, staged_at, line, unique_id, change, subject, unknown_members)
SELECT $1, $2, $3, line, unique_id,
    CASE WHEN change <> '' THEN jsonb_populate_record(NULL::cardholder_change, change::jsonb) END, subject,
    unknown_members
FROM unnest($4::bigint[], $5::text[], $6::text[], $7::bytea[], $8::text[])
    AS new (line, unique_id, change, subject, unknown_members);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- TakeBackFetch
PREPARE recorded AS
SELECT append_audit(
    p_now => $6, p_operation => 'fetch', p_outcome => 'taken-back', p_bank_id => $1, p_subject => $7,
    p_actor => $8, p_detail => $9, p_rows => changed_rows)
FROM take_back_fetch(
    p_bank_id => $1, p_unique_id => $2, p_session_id => $3, p_transaction_digest => $4, p_hmac_digest => $5)
    AS changed_rows;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- WriteCardholder
PREPARE recorded (timestamptz, text, text, text, bigint, boolean, boolean, text, bytea, timestamptz, bytea, text, text, integer) AS
SELECT outcome, version, pin, append_audit(
    p_now => $1, p_operation => 'write-cardholder', p_outcome => outcome, p_bank_id => $2, p_subject => $11,
    p_actor => $12, p_detail => $13, p_rows => changed_rows)
FROM write_cardholder(
    p_now => $1, p_bank_id => $2, p_unique_id => $3,
    p_change => jsonb_populate_record(NULL::cardholder_change, $4::jsonb),
    p_if_version => $5, p_must_exist => $6, p_must_not_exist => $7, p_call_key => $8, p_call_mac => $9,
    p_call_expires_at => $10, p_undelivered_lifetime_days => $14);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- addUses
PREPARE recorded (bigint, integer) AS
UPDATE data_key SET uses = uses + $1 WHERE id = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- alterations
PREPARE recorded AS
SELECT schema_version FROM schema_state;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- alterations 2
PREPARE recorded AS
WITH trail AS (
    SELECT oid, relname, relrowsecurity FROM pg_class
    WHERE relnamespace = 'card_companion'::regnamespace
        AND relname IN ('audit_entry', 'audit_seal', 'audit_head')
)
SELECT 'trigger ' || tgname || ' of ' || relname FROM pg_trigger JOIN trail ON trail.oid = tgrelid
WHERE NOT tgisinternal
UNION ALL SELECT 'rule ' || rulename || ' of ' || relname FROM pg_rewrite JOIN trail ON trail.oid = ev_class
UNION ALL SELECT 'row security of ' || relname FROM trail WHERE relrowsecurity
ORDER BY 1;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- approvals
PREPARE recorded (text[]) AS
SELECT id, statement, first_operator, first_signature, second_operator, second_signature FROM approval WHERE id = ANY ($1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- auditChains
PREPARE recorded AS
WITH RECURSIVE chain AS (
    (SELECT chain_id FROM audit_entry ORDER BY chain_id LIMIT 1)
    UNION ALL
    SELECT (SELECT next.chain_id FROM audit_entry AS next WHERE next.chain_id > chain.chain_id
        ORDER BY next.chain_id LIMIT 1)
    FROM chain WHERE chain.chain_id IS NOT NULL
)
SELECT newest.chain_id, newest.sequence, newest.hash
FROM chain CROSS JOIN LATERAL (
    SELECT * FROM audit_entry WHERE audit_entry.chain_id = chain.chain_id ORDER BY sequence DESC LIMIT 1
) AS newest ORDER BY newest.chain_id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- auditEntries
PREPARE recorded (integer, bigint, bigint) AS
SELECT chain_id, sequence, occurred_at, operation, outcome, bank_id, subject, actor, detail, rows, hash FROM audit_entry WHERE (chain_id, sequence) > ($1, $2)
ORDER BY chain_id, sequence LIMIT $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- auditEntries 2
PREPARE recorded (timestamptz, timestamptz, timestamptz, timestamptz, text, text, text, text, bytea[], bytea[], bigint) AS
SELECT chain_id, sequence, occurred_at, operation, outcome, bank_id, subject, actor, detail, rows, hash FROM audit_entry
WHERE ($1 IS NULL OR occurred_at >= $2)
    AND ($3 IS NULL OR occurred_at < $4)
    AND ($5 IS NULL OR bank_id = $6)
    AND ($7 IS NULL OR operation = $8)
    AND ($9 IS NULL OR subject = ANY ($10))
ORDER BY occurred_at DESC, chain_id, sequence DESC LIMIT $11;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- auditSeals
PREPARE recorded (bigint, bigint) AS
SELECT number, epoch, kind, sealed_at, note, heads, late, named_number, named_hash, previous_hash, hash, key_id, signature FROM audit_seal WHERE number > $1
ORDER BY number LIMIT $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- auditedRows
PREPARE recorded (text, text, text, text, bigint) AS
SELECT bank_id, unique_id, row_id, 1::bigint, pass_digest(p_row => identity_pass) FROM identity_pass
WHERE (bank_id, unique_id) > ($1::identifier, $2::identifier)
    AND ($3 IS NULL OR bank_id = $4)
ORDER BY bank_id, unique_id LIMIT $5;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- auditedRows
PREPARE recorded (text, text, text, text, bigint) AS
SELECT bank_id, unique_id, row_id, changes, cardholder_digest(p_row => cardholder) FROM cardholder
WHERE (bank_id, unique_id) > ($1::identifier, $2::identifier)
    AND ($3 IS NULL OR bank_id = $4)
ORDER BY bank_id, unique_id LIMIT $5;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- backlog
PREPARE recorded (text, text) AS
SELECT count(*) FILTER (WHERE status = 'PENDING'), min(pending_since) FILTER (WHERE status = 'PENDING'),
    min(next_attempt_at) FILTER (WHERE status = 'PENDING'),
    (
        SELECT last_error FROM webhook_delivery
        WHERE bank_id = $1 AND status = 'PENDING' AND last_error IS NOT NULL ORDER BY event_id LIMIT 1
    ),
    count(*) FILTER (WHERE status = 'PARKED')
FROM webhook_delivery WHERE bank_id = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- bankIds
PREPARE recorded AS
SELECT bank_id FROM bank ORDER BY bank_id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- bankInventory
PREPARE recorded (text, bigint) AS
SELECT bank_id, version, contents FROM bank_inventory WHERE bank_id = $1 AND version = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- bankKey
PREPARE recorded (text, text) AS
SELECT label, usage, algorithm, direction, sealed_key, status FROM bank_key WHERE bank_id = $1 AND label = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- bankKeysQuery
PREPARE recorded (text) AS
SELECT label, usage, algorithm, direction, sealed_key, status FROM bank_key WHERE bank_id = $1 ORDER BY label;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- bankQuery
PREPARE recorded (text) AS
SELECT bank_id, status, settings, approved_settings, revision, created_at, requests_from FROM bank WHERE bank_id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- banks
PREPARE recorded AS
SELECT bank_id, status, settings, approved_settings, revision, created_at, requests_from FROM bank ORDER BY bank_id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- beginKeyImport
PREPARE recorded (text, text, timestamptz) AS
DELETE FROM key_import WHERE bank_id = $1 AND label = $2 AND expires_at <= $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- beginKeyImport 2
PREPARE recorded (text, text, text, text, text, bigint, text, timestamptz) AS
INSERT INTO key_import (bank_id, label, usage, algorithm, direction, component_count, begun_by, expires_at)
VALUES ($1, $2, $3, $4, $5,
    $6, $7, $8)
ON CONFLICT DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- cardholders
PREPARE recorded (text, text, text, text, text, bigint) AS
SELECT unique_id, status, channels, definition, accessibility, code_mac IS NOT NULL, authentication_failures,
    sealed_pin IS NOT NULL, pin_version, pin_expires_at, delivered_at, unconfirmed_fetches,
    sealed_free_field IS NOT NULL, version, created_at, updated_at
FROM cardholder
WHERE bank_id = $1 AND unique_id > $2::identifier AND unique_id >= $3::identifier
    AND unique_id < ($4 || chr(1114111))::identifier AND starts_with(unique_id, $5)
ORDER BY unique_id LIMIT $6;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- cardholders 2
PREPARE recorded (text, text, bigint) AS
SELECT unique_id, status, channels, definition, accessibility, code_mac IS NOT NULL, authentication_failures,
    sealed_pin IS NOT NULL, pin_version, pin_expires_at, delivered_at, unconfirmed_fetches,
    sealed_free_field IS NOT NULL, version, created_at, updated_at
FROM cardholder
WHERE bank_id = $1 AND unique_id > $2::identifier ORDER BY unique_id LIMIT $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- certificatesQuery
PREPARE recorded (text, text) AS
SELECT alias, purpose, der, fingerprint, subject, issuer, serial, not_before, not_after, is_default, status,
    created_at, next_update,
    EXISTS (
        SELECT FROM revoked_certificate AS revoked WHERE revoked.bank_id = $1
            AND (revoked.issuer, revoked.serial) = (certificate.issuer, certificate.serial)
    )
FROM certificate LEFT JOIN revocation_list USING (bank_id, issuer) WHERE bank_id = $2 ORDER BY alias;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- changedAuditEnds
PREPARE recorded (integer[], bigint[], bytea[]) AS
SELECT known.chain_id, known.sequence, known.hash
FROM unnest($1, $2, $3)
        AS known (chain_id, sequence, hash)
    LEFT JOIN audit_entry ON audit_entry.chain_id = known.chain_id AND audit_entry.sequence = known.sequence
    LEFT JOIN audit_head ON audit_head.chain_id = known.chain_id
WHERE audit_entry.hash IS DISTINCT FROM known.hash OR coalesce(audit_head.sequence, 0) < known.sequence
ORDER BY known.chain_id;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- clock
PREPARE recorded AS
SELECT clock_timestamp();
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- countValues
PREPARE recorded (text, text, bigint, integer) AS
WITH page (bank_id, row_id, value) AS (
    SELECT ''::text, master_key.id, sealed_public_key
    FROM master_key WHERE (''::text, master_key.id) > ($1, $2)
    ORDER BY 1, 2 LIMIT $3
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT count(*) FILTER (WHERE substring(value FOR 4) = int4send($4)),
    (SELECT bank_id FROM last), (SELECT row_id FROM last)
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- countValues
PREPARE recorded (text, text, bigint, integer) AS
WITH page (bank_id, row_id, value) AS (
    SELECT ''::text, seal_key.key_id, sealed_public_key
    FROM seal_key WHERE (''::text, seal_key.key_id) > ($1, $2)
    ORDER BY 1, 2 LIMIT $3
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT count(*) FILTER (WHERE substring(value FOR 4) = int4send($4)),
    (SELECT bank_id FROM last), (SELECT row_id FROM last)
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- countValues
PREPARE recorded (text, text, bigint, integer) AS
WITH page (bank_id, row_id, value) AS (
    SELECT ''::text, server_key.key_id, sealed_key
    FROM server_key WHERE (''::text, server_key.key_id) > ($1, $2)
    ORDER BY 1, 2 LIMIT $3
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT count(*) FILTER (WHERE substring(value FOR 4) = int4send($4)),
    (SELECT bank_id FROM last), (SELECT row_id FROM last)
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- countValues
PREPARE recorded (text, text, bigint, integer) AS
WITH page (bank_id, row_id, value) AS (
    SELECT ''::text, server_key.key_id, sealed_public_key
    FROM server_key WHERE (''::text, server_key.key_id) > ($1, $2)
    ORDER BY 1, 2 LIMIT $3
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT count(*) FILTER (WHERE substring(value FOR 4) = int4send($4)),
    (SELECT bank_id FROM last), (SELECT row_id FROM last)
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- countValues
PREPARE recorded (text, text, bigint, integer) AS
WITH page (bank_id, row_id, value) AS (
    SELECT bank_key.bank_id, bank_key.label, sealed_key
    FROM bank_key WHERE (bank_key.bank_id, bank_key.label) > ($1, $2)
    ORDER BY 1, 2 LIMIT $3
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT count(*) FILTER (WHERE substring(value FOR 4) = int4send($4)),
    (SELECT bank_id FROM last), (SELECT row_id FROM last)
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- countValues
PREPARE recorded (text, text, bigint, integer) AS
WITH page (bank_id, row_id, value) AS (
    SELECT cardholder.bank_id, cardholder.unique_id, code_mac
    FROM cardholder WHERE (cardholder.bank_id, cardholder.unique_id) > ($1, $2)
    ORDER BY 1, 2 LIMIT $3
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT count(*) FILTER (WHERE substring(value FOR 4) = int4send($4)),
    (SELECT bank_id FROM last), (SELECT row_id FROM last)
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- countValues
PREPARE recorded (text, text, bigint, integer) AS
WITH page (bank_id, row_id, value) AS (
    SELECT cardholder.bank_id, cardholder.unique_id, free_field_mac
    FROM cardholder WHERE (cardholder.bank_id, cardholder.unique_id) > ($1, $2)
    ORDER BY 1, 2 LIMIT $3
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT count(*) FILTER (WHERE substring(value FOR 4) = int4send($4)),
    (SELECT bank_id FROM last), (SELECT row_id FROM last)
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- countValues
PREPARE recorded (text, text, bigint, integer) AS
WITH page (bank_id, row_id, value) AS (
    SELECT cardholder.bank_id, cardholder.unique_id, sealed_free_field
    FROM cardholder WHERE (cardholder.bank_id, cardholder.unique_id) > ($1, $2)
    ORDER BY 1, 2 LIMIT $3
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT count(*) FILTER (WHERE substring(value FOR 4) = int4send($4)),
    (SELECT bank_id FROM last), (SELECT row_id FROM last)
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- countValues
PREPARE recorded (text, text, bigint, integer) AS
WITH page (bank_id, row_id, value) AS (
    SELECT cardholder.bank_id, cardholder.unique_id, sealed_pin
    FROM cardholder WHERE (cardholder.bank_id, cardholder.unique_id) > ($1, $2)
    ORDER BY 1, 2 LIMIT $3
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT count(*) FILTER (WHERE substring(value FOR 4) = int4send($4)),
    (SELECT bank_id FROM last), (SELECT row_id FROM last)
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- countValues
PREPARE recorded (text, text, bigint, integer) AS
WITH page (bank_id, row_id, value) AS (
    SELECT hmac_key.bank_id, hmac_key.label, sealed_key
    FROM hmac_key WHERE (hmac_key.bank_id, hmac_key.label) > ($1, $2)
    ORDER BY 1, 2 LIMIT $3
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT count(*) FILTER (WHERE substring(value FOR 4) = int4send($4)),
    (SELECT bank_id FROM last), (SELECT row_id FROM last)
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- countValues
PREPARE recorded (text, text, bigint, integer) AS
WITH page (bank_id, row_id, value) AS (
    SELECT issuer_key.bank_id, issuer_key.key_id, sealed_secret
    FROM issuer_key WHERE (issuer_key.bank_id, issuer_key.key_id) > ($1, $2)
    ORDER BY 1, 2 LIMIT $3
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT count(*) FILTER (WHERE substring(value FOR 4) = int4send($4)),
    (SELECT bank_id FROM last), (SELECT row_id FROM last)
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- countValues
PREPARE recorded (text, text, bigint, integer) AS
WITH page (bank_id, row_id, value) AS (
    SELECT trust_list.scope, 'list'::text, sealed_digest
    FROM trust_list WHERE (trust_list.scope, 'list'::text) > ($1, $2)
    ORDER BY 1, 2 LIMIT $3
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT count(*) FILTER (WHERE substring(value FOR 4) = int4send($4)),
    (SELECT bank_id FROM last), (SELECT row_id FROM last)
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- dataKeyWrappings
PREPARE recorded AS
SELECT data_key_id, master_key_id, wrapped_key FROM data_key_wrapping ORDER BY data_key_id, created_at;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- dataKeys
PREPARE recorded AS
SELECT id, purpose, replaces, state, active_from, uses, created_at FROM data_key ORDER BY id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- databaseFacts
PREPARE recorded AS
SELECT current_setting('server_version_num')::integer, split_part(current_setting('server_version'), ' ', 1),
    current_setting('fsync')::boolean, current_setting('full_page_writes')::boolean,
    current_setting('synchronous_commit'), current_setting('data_checksums')::boolean, pg_is_in_recovery(),
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user), current_setting('max_connections')::integer,
    coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false), host(inet_server_addr());
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- deleteExpiredAnswers
PREPARE recorded (timestamptz, bigint) AS
DELETE FROM idempotent_answer WHERE (bank_id, idempotency_key) IN (
    SELECT bank_id, idempotency_key FROM idempotent_answer
    WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- deleteExpiredChanges
PREPARE recorded (timestamptz, bigint) AS
DELETE FROM proposed_change WHERE id IN (
    SELECT id FROM proposed_change WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- deleteExpiredChecks
PREPARE recorded (timestamptz, timestamptz, bigint) AS
DELETE FROM identity_check WHERE (bank_id, unique_id) IN (
    SELECT bank_id, unique_id FROM identity_check
    WHERE expires_at <= $1 AND (session_ends_at IS NULL OR session_ends_at <= $2)
    LIMIT $3 FOR UPDATE SKIP LOCKED);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- deleteExpiredKeyImports
PREPARE recorded (timestamptz, bigint) AS
DELETE FROM key_import WHERE (bank_id, label) IN (
    SELECT bank_id, label FROM key_import WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- deleteExpiredPasses
PREPARE recorded (timestamptz, bigint, timestamptz) AS
WITH removed AS (
    DELETE FROM identity_pass WHERE (bank_id, unique_id) IN (
        SELECT bank_id, unique_id FROM identity_pass
        WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
    RETURNING removed_pass(p_row => identity_pass) AS change
)
SELECT (SELECT count(*) FROM removed),
    CASE WHEN EXISTS (SELECT FROM removed) THEN append_audit(
        p_now => $3, p_operation => 'housekeeping', p_outcome => 'removed expired passes', p_bank_id => NULL,
        p_subject => NULL, p_actor => 'server', p_detail => (SELECT count(*) FROM removed) || ' passes',
        p_rows => (SELECT string_agg(change, '') FROM removed)) END;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- deleteExpiredProofs
PREPARE recorded (timestamptz, bigint) AS
DELETE FROM spent_proof WHERE (bank_id, kind, digest) IN (
    SELECT bank_id, kind, digest FROM spent_proof WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- deleteExpiredSessions
PREPARE recorded (timestamptz, bigint, timestamptz) AS
WITH due AS (
    -- The cardholder is locked too, so that their events have one order.
    SELECT session.* FROM delivery_session AS session JOIN cardholder USING (bank_id, unique_id)
    WHERE session.expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
), reported AS (
    INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
    SELECT bank_id, unique_id, 'pin.delivery-unconfirmed',
        jsonb_build_object('sessionId', session_id, 'channel', channel), $3
    FROM due WHERE notified_status IS NULL
)
DELETE FROM delivery_session AS session USING due
WHERE (session.bank_id, session.session_id) = (due.bank_id, due.session_id);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- deleteFinishedImport
PREPARE recorded (text, text, text, text, bytea) AS
DELETE FROM key_import WHERE bank_id = $1 AND label = $2 AND EXISTS (
    SELECT FROM key_identity
    WHERE bank_id = $3 AND label = $4 AND key_mac = $5);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- deleteKey
PREPARE recorded (text, text, text, text, text, text) AS
DELETE FROM key_identity WHERE bank_id = $1 AND label = $2 AND (
    EXISTS (SELECT FROM hmac_key WHERE bank_id = $3 AND label = $4 AND status = 'DISABLED')
    OR EXISTS (SELECT FROM bank_key WHERE bank_id = $5 AND label = $6 AND status = 'DISABLED'));
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- deleteKeyImport
PREPARE recorded (text, text) AS
DELETE FROM key_import WHERE bank_id = $1 AND label = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- deleteOldEvents
PREPARE recorded (timestamptz, bigint) AS
WITH due AS (
    -- An event that is not acknowledged stays while an older definition is kept: a reader who must go on after it
    -- would miss the definition.
    SELECT bank_id, event_id, position, acknowledged FROM event
    WHERE occurred_at <= $1 AND (acknowledged OR (type <> 'pin.defined' AND NOT EXISTS (
        SELECT FROM event AS kept
        WHERE kept.bank_id = event.bank_id AND kept.type = 'pin.defined' AND NOT kept.acknowledged
            AND (kept.position < event.position OR (event.position IS NULL
                AND (kept.position IS NOT NULL OR kept.event_id < event.event_id)))
    )))
    LIMIT $2 FOR UPDATE SKIP LOCKED
), lost AS (
    -- An event without a position would have come after all that a reader was given.
    INSERT INTO event_feed AS feed (bank_id, handed_out, lost)
    SELECT bank_id, 0, max(coalesce(position, nextval('event_position')))
    FROM due WHERE NOT acknowledged GROUP BY bank_id ORDER BY bank_id
    ON CONFLICT (bank_id) DO UPDATE SET lost = greatest(feed.lost, excluded.lost)
)
DELETE FROM event USING due WHERE (event.bank_id, event.event_id) = (due.bank_id, due.event_id);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- deleteProposedChange
PREPARE recorded (text) AS
DELETE FROM proposed_change WHERE id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- deleteReplacedWrappings
PREPARE recorded (timestamptz) AS
WITH live AS (
    SELECT key.status FROM server_vault JOIN master_key AS key ON key.id = server_vault.master_key_id
    WHERE server_vault.seen_at >= $1
)
DELETE FROM data_key_wrapping AS old USING master_key AS replaced
WHERE replaced.id = old.master_key_id AND replaced.status = 'REPLACED'
    AND EXISTS (SELECT FROM live) AND NOT EXISTS (SELECT FROM live WHERE status = 'REPLACED')
    AND EXISTS (
        SELECT FROM data_key_wrapping AS other JOIN master_key AS key ON key.id = other.master_key_id
        WHERE other.data_key_id = old.data_key_id AND key.status = 'ACTIVE' AND key.kind <> 'recovery');
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- deleteServerVault
PREPARE recorded (text) AS
DELETE FROM server_vault WHERE server_id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- deleteStagedLines
PREPARE recorded (timestamptz, bigint) AS
DELETE FROM import_line WHERE (bank_id, import_id, line) IN (
    SELECT bank_id, import_id, line FROM import_line
    WHERE staged_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- discardStaged
PREPARE recorded (text, text) AS
DELETE FROM import_line WHERE bank_id = $1 AND import_id = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- documentClients
PREPARE recorded (text) AS
SELECT client_id, bank_id, is_unbound, result_url, result_is_private, status, created_at FROM document_client WHERE bank_id = $1
ORDER BY client_id;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- eraseExpiredPINs
PREPARE recorded (timestamptz, bigint, timestamptz, timestamptz, timestamptz, timestamptz) AS
WITH due AS (
    -- Rows that anybody has locked are passed over: so this waits for nobody, and cannot deadlock.
    SELECT expiry.bank_id, expiry.unique_id, expiry.expires_at, cardholder AS before
    FROM pin_expiry AS expiry JOIN cardholder USING (bank_id, unique_id)
    WHERE expiry.expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
), looked_at AS (
    DELETE FROM pin_expiry AS expiry USING due
    WHERE (expiry.bank_id, expiry.unique_id, expiry.expires_at) = (due.bank_id, due.unique_id, due.expires_at)
), erased AS (
    UPDATE cardholder SET
        sealed_pin = NULL, pin_expires_at = NULL, version = nextval('cardholder_version'), updated_at = $3,
        changes = changes + 1
    FROM due
    WHERE (cardholder.bank_id, cardholder.unique_id) = (due.bank_id, due.unique_id) AND pin_expires_at <= $4
    RETURNING cardholder.bank_id, cardholder.unique_id,
        changed_cardholder(p_before => due.before, p_after => cardholder) AS change
), reported AS (
    INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
    SELECT bank_id, unique_id, 'pin.expired', '{}', $5 FROM erased
)
SELECT (SELECT count(*) FROM due), (SELECT count(*) FROM erased),
    CASE WHEN EXISTS (SELECT FROM erased) THEN append_audit(
        p_now => $6, p_operation => 'housekeeping', p_outcome => 'erased undelivered PINs', p_bank_id => NULL,
        p_subject => NULL, p_actor => 'server', p_detail => (SELECT count(*) FROM erased) || ' PINs',
        p_rows => (SELECT string_agg(change, '') FROM erased)) END;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- eraseRestoredPINs
PREPARE recorded AS
WITH due AS (
    SELECT bank_id, unique_id, cardholder AS before FROM cardholder WHERE bank_id = $1 AND sealed_pin IS NOT NULL
        AND ($2::text[] IS NULL OR unique_id = ANY ($3)) LIMIT $4
    FOR UPDATE
), erased AS (
    UPDATE cardholder SET
        sealed_pin = NULL, pin_expires_at = NULL, code_mac = NULL, version = nextval('cardholder_version'),
        updated_at = $5, changes = changes + 1
    FROM due WHERE (cardholder.bank_id, cardholder.unique_id) = (due.bank_id, due.unique_id)
    RETURNING cardholder.bank_id, cardholder.unique_id,
        changed_cardholder(p_before => due.before, p_after => cardholder) AS change
), reported AS (
    INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
    SELECT bank_id, unique_id, 'pin.expired', '{}', $6 FROM erased
), forgotten AS (
    UPDATE delivery_session SET token_mac = NULL FROM erased
    WHERE (delivery_session.bank_id, delivery_session.unique_id) = (erased.bank_id, erased.unique_id)
        AND token_mac IS NOT NULL
)
SELECT (SELECT count(*) FROM erased),
    CASE WHEN EXISTS (SELECT FROM erased) THEN append_audit(
        p_now => $7, p_operation => $8,
        p_outcome => $9, p_bank_id => $10, p_subject => NULL,
        p_actor => $11, p_detail => (SELECT count(*) FROM erased) || ' PINs',
        p_rows => (SELECT string_agg(change, '') FROM erased)) END;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- eraseRetiredKeys
PREPARE recorded (timestamptz, bigint) AS
UPDATE server_key SET sealed_key = NULL WHERE key_id IN (
    SELECT key_id FROM server_key
    WHERE status = 'RETIRED' AND retired_at <= $1 AND sealed_key IS NOT NULL LIMIT $2 FOR UPDATE SKIP LOCKED);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- grownAuditHeads
PREPARE recorded AS
WITH RECURSIVE chain AS (
    (SELECT chain_id FROM audit_entry ORDER BY chain_id LIMIT 1)
    UNION ALL
    SELECT (SELECT next.chain_id FROM audit_entry AS next WHERE next.chain_id > chain.chain_id
        ORDER BY next.chain_id LIMIT 1)
    FROM chain WHERE chain.chain_id IS NOT NULL
)
SELECT newest.chain_id, newest.sequence, newest.hash
FROM chain CROSS JOIN LATERAL (
    SELECT * FROM audit_entry WHERE audit_entry.chain_id = chain.chain_id ORDER BY sequence DESC LIMIT 1
) AS newest LEFT JOIN audit_head ON audit_head.chain_id = newest.chain_id
WHERE newest.sequence > coalesce(audit_head.sequence, 0) ORDER BY newest.chain_id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- grownAuditHeads 2
PREPARE recorded (timestamptz) AS
SELECT newest.chain_id, newest.sequence, newest.hash
FROM (SELECT DISTINCT chain_id FROM audit_entry WHERE occurred_at >= $1) AS chain CROSS JOIN LATERAL (
    SELECT * FROM audit_entry WHERE audit_entry.chain_id = chain.chain_id ORDER BY sequence DESC LIMIT 1
) AS newest LEFT JOIN audit_head ON audit_head.chain_id = newest.chain_id
WHERE newest.sequence > coalesce(audit_head.sequence, 0) ORDER BY newest.chain_id;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- hasApprovals
PREPARE recorded AS
SELECT EXISTS (SELECT FROM approval);
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- hasAuditSeal
PREPARE recorded AS
SELECT EXISTS (SELECT FROM audit_seal WHERE key_id = $1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- hasKey
PREPARE recorded (text, text) AS
SELECT EXISTS (SELECT FROM key_identity WHERE bank_id = $1 AND label = $2);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- hasKey 2
PREPARE recorded (bytea[]) AS
SELECT EXISTS (SELECT FROM key_identity WHERE key_mac = ANY ($1));
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- hmacKeysQuery
PREPARE recorded (text) AS
SELECT label, kcv, usage, sealed_key, status, created_at FROM hmac_key
WHERE bank_id = $1 ORDER BY created_at DESC, label;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- insertApproval
PREPARE recorded (text, text, text, bytea, text, bytea, timestamptz) AS
INSERT INTO approval (id, statement, first_operator, first_signature, second_operator, second_signature, approved_at)
VALUES ($1, $2, $3, $4,
    $5, $6, $7)
ON CONFLICT (id) DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- insertAuditSeal
PREPARE recorded (bigint, integer, text, timestamptz, text, bytea, bytea, bigint, bytea, bytea, bytea, text, bytea, bigint) AS
INSERT INTO audit_seal (number, epoch, kind, sealed_at, note, heads, late, named_number, named_hash, previous_hash, hash, key_id, signature)
SELECT $1, $2, $3, $4, $5, $6, $7,
    $8, $9, $10, $11, $12, $13
WHERE coalesce((SELECT max(number) FROM audit_seal), 0) = $14
ON CONFLICT DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- insertAuditSeal 2
PREPARE recorded (integer[], bigint[], bytea[], bigint, bytea) AS
INSERT INTO audit_head (chain_id, sequence, hash)
SELECT new.chain_id, new.sequence, new.hash
FROM unnest($1, $2, $3)
    AS new (chain_id, sequence, hash)
WHERE EXISTS (SELECT FROM audit_seal WHERE number = $4 AND audit_seal.hash = $5)
ON CONFLICT (chain_id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- insertBank
PREPARE recorded (text, timestamptz, text, text, text, text) AS
INSERT INTO bank (bank_id, status, created_at, programme, settings, settings_digest, approved_settings)
VALUES ($1, 'ACTIVE', $2, $3, $4, sha256(convert_to($5, 'UTF8')),
    $6)
ON CONFLICT (bank_id) DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- insertBankKey
PREPARE recorded (text, text, bytea, bytea[], text, text, text, text, bytea, timestamptz) AS
WITH new_identity AS (
    INSERT INTO key_identity (bank_id, label, key_mac)
    SELECT $1, $2, $3
    WHERE NOT EXISTS (SELECT FROM key_identity WHERE key_mac = ANY ($4))
    ON CONFLICT DO NOTHING
    RETURNING bank_id, label
)
INSERT INTO bank_key (bank_id, label, usage, algorithm, direction, kcv, sealed_key, status, created_at)
SELECT bank_id, label, $5, $6, $7, $8, $9, 'ACTIVE',
    $10
FROM new_identity;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- insertCertificate
PREPARE recorded (text, text, text, bytea, bytea, text, text, bytea, timestamptz, timestamptz, boolean, text, timestamptz) AS
INSERT INTO certificate (
    bank_id, alias, purpose, der, fingerprint, subject, issuer, serial, not_before, not_after, is_default,
    status, created_at)
VALUES ($1, $2, $3, $4, $5,
    $6, $7, $8, $9,
    $10, $11, $12, $13)
ON CONFLICT (bank_id, alias) DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- insertCertificate 2
PREPARE recorded (text, text, text, text) AS
UPDATE certificate SET is_default = false
WHERE bank_id = $1 AND is_default AND purpose = $2
    AND NOT EXISTS (SELECT FROM certificate WHERE bank_id = $3 AND alias = $4);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- insertDataKey
PREPARE recorded (integer, text, integer, timestamptz, timestamptz, timestamptz, text[], bytea[]) AS
WITH added AS (
    INSERT INTO data_key (id, purpose, replaces, state, active_from, created_at)
    VALUES ($1, $2, $3, 'USABLE', $4, $5)
    ON CONFLICT DO NOTHING RETURNING id
)
INSERT INTO data_key_wrapping (data_key_id, master_key_id, wrapped_key, created_at)
SELECT added.id, new.master_key_id, new.wrapped_key, $6
FROM added, unnest($7, $8)
    AS new (master_key_id, wrapped_key);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- insertDocumentClient
PREPARE recorded (text, text, boolean, text, boolean, text, timestamptz) AS
INSERT INTO document_client (client_id, bank_id, is_unbound, result_url, result_is_private, status, created_at)
VALUES ($1, $2, $3, $4, $5,
    $6, $7)
ON CONFLICT DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- insertHMACKey
PREPARE recorded (text, text, bytea, bytea[], text, text, bytea, timestamptz) AS
WITH new_identity AS (
    INSERT INTO key_identity (bank_id, label, key_mac)
    SELECT $1, $2, $3
    WHERE NOT EXISTS (SELECT FROM key_identity WHERE key_mac = ANY ($4))
    ON CONFLICT DO NOTHING
    RETURNING bank_id, label
)
INSERT INTO hmac_key (bank_id, label, kcv, usage, sealed_key, status, created_at)
SELECT bank_id, label, $5, $6, $7, 'ACTIVE', $8 FROM new_identity;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- insertIssuerKey
PREPARE recorded (text, text, text, bytea, bytea, text, timestamptz, text) AS
WITH new_key AS (
    INSERT INTO issuer_key (key_id, bank_id, algorithm, public_key, sealed_secret, status, created_at)
    SELECT $1, $2, $3, $4, $5, $6,
        $7
    WHERE NOT EXISTS (SELECT FROM issuer_key_owner WHERE key_id = $8)
    RETURNING key_id, bank_id
)
INSERT INTO issuer_key_owner (key_id, bank_id) SELECT key_id, bank_id FROM new_key;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- insertKeyComponent
PREPARE recorded (bigint, bytea, text, text, text) AS
INSERT INTO key_component (bank_id, label, number, sealed_component, entered_by)
SELECT bank_id, label, $1, $2, $3 FROM key_import
WHERE bank_id = $4 AND label = $5
ON CONFLICT DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- insertPendingInventory
PREPARE recorded (bigint, text, bytea, text[], bigint[], text[], bigint, text[], bigint[], bigint) AS
WITH installation AS (
    INSERT INTO inventory (version, contents, mac, written_at)
    VALUES ($1, $2, $3, clock_timestamp())
), bank AS (
    INSERT INTO bank_inventory (bank_id, version, contents)
    SELECT * FROM unnest($4, $5, $6)
    ON CONFLICT (bank_id, version) DO UPDATE SET contents = excluded.contents
), old AS (
    DELETE FROM inventory WHERE version <= $7
)
DELETE FROM bank_inventory USING unnest($8, $9)
    AS new (bank_id, version)
WHERE bank_inventory.bank_id = new.bank_id
    AND bank_inventory.version <= new.version - $10;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- insertProposedChange
PREPARE recorded (text, text, bytea, text, text, bytea, timestamptz) AS
INSERT INTO proposed_change (id, action, change, statement, operator_name, signature, expires_at)
VALUES ($1, $2, $3, $4, $5,
    $6, $7);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- insertSealKey
PREPARE recorded AS
INSERT INTO seal_key (key_id, sealed_public_key, created_at)
VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- inventories
PREPARE recorded (bigint, bigint) AS
SELECT version, contents, mac FROM inventory WHERE version > $1
ORDER BY version LIMIT $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- isCurrent
PREPARE recorded (text) AS
SELECT revision FROM bank WHERE bank_id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- issuerKeys
PREPARE recorded (text) AS
SELECT key_id, bank_id, algorithm, public_key, sealed_secret, status, created_at FROM issuer_key WHERE bank_id = $1 ORDER BY key_id;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- keyImport
PREPARE recorded (text, text, timestamptz) AS
SELECT label, usage, algorithm, direction, component_count, begun_by, expires_at FROM key_import
WHERE bank_id = $1 AND label = $2 AND expires_at > $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- keyImport 2
PREPARE recorded (text, text) AS
SELECT number, sealed_component, entered_by FROM key_component
WHERE bank_id = $1 AND label = $2 ORDER BY number;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- keys
PREPARE recorded (integer, bigint) AS
SELECT bank_id, label, coalesce(bank_key.algorithm, 'hmac'),
    coalesce(bank_key.sealed_key, hmac_key.sealed_key), key_mac
FROM key_identity LEFT JOIN hmac_key USING (bank_id, label) LEFT JOIN bank_key USING (bank_id, label)
WHERE substring(key_mac FOR 4) <> int4send($1) LIMIT $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- lastEventPosition
PREPARE recorded AS
SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM event_position;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- lateAuditEntries
PREPARE recorded (integer[], bigint[], timestamptz) AS
SELECT chain_id, min(sequence), max(sequence) FROM (
    SELECT entry.chain_id, entry.sequence,
        entry.sequence - row_number() OVER (PARTITION BY entry.chain_id ORDER BY entry.sequence) AS island
    FROM unnest($1, $2) AS new_end (chain_id, sequence)
        LEFT JOIN audit_head ON audit_head.chain_id = new_end.chain_id
        JOIN audit_entry AS entry ON entry.chain_id = new_end.chain_id
            AND entry.sequence > coalesce(audit_head.sequence, 0) AND entry.sequence <= new_end.sequence
    WHERE entry.occurred_at <= $3
) AS late GROUP BY chain_id, island ORDER BY chain_id, min(sequence);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- leaseResealing
PREPARE recorded (text, integer, timestamptz, integer, integer, integer, timestamptz, timestamptz, integer, integer) AS
INSERT INTO resealing AS work
    (sealed_column, data_key_id, after_bank_id, after_row_id, is_finished, leased_until)
VALUES ($1, $2, '', '', false, $3)
ON CONFLICT (sealed_column) DO UPDATE SET
    data_key_id = $4,
    after_bank_id = CASE WHEN work.data_key_id = $5 THEN work.after_bank_id ELSE '' END,
    after_row_id = CASE WHEN work.data_key_id = $6 THEN work.after_row_id ELSE '' END,
    is_finished = false,
    leased_until = $7
WHERE work.leased_until <= $8 AND (
    work.data_key_id < $9 OR (work.data_key_id = $10 AND NOT work.is_finished))
RETURNING after_bank_id, after_row_id;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- listedKeys
PREPARE recorded (text, text) AS
SELECT label, kcv, usage, 'hmac', NULL, status, created_at FROM hmac_key WHERE bank_id = $1
UNION ALL
SELECT label, kcv, usage, algorithm, direction, status, created_at FROM bank_key WHERE bank_id = $2
ORDER BY created_at DESC, label;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- masterKeyInsertion
PREPARE recorded (text, text, text, bytea, text, timestamptz) AS
INSERT INTO master_key (id, kind, name, sealed_public_key, status, created_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (id) DO UPDATE SET status = excluded.status, name = excluded.name;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- masterKeyReplacement
PREPARE recorded (text[]) AS
UPDATE master_key SET status = 'REPLACED' WHERE id = ANY ($1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- masterKeys
PREPARE recorded AS
SELECT id, kind, name, sealed_public_key, status, created_at FROM master_key ORDER BY created_at, id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- newestAuditClosing
PREPARE recorded AS
SELECT number, epoch, kind, sealed_at, note, heads, late, named_number, named_hash, previous_hash, hash, key_id, signature FROM audit_seal WHERE kind = 'closing'
ORDER BY named_number DESC, number DESC LIMIT 1;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- newestAuditEpoch
PREPARE recorded (bigint, bigint) AS
SELECT number, epoch, kind, sealed_at, note, heads, late, named_number, named_hash, previous_hash, hash, key_id, signature FROM audit_seal
WHERE kind = 'epoch' AND number > $1 AND named_number >= $2 ORDER BY number DESC LIMIT 1;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- newestAuditSeal
PREPARE recorded AS
SELECT number, epoch, kind, sealed_at, note, heads, late, named_number, named_hash, previous_hash, hash, key_id, signature FROM audit_seal ORDER BY number DESC LIMIT 1;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- newestEvents
PREPARE recorded (text, text, text, text, text, bigint) AS
SELECT public_id, position, event.unique_id, type, occurred_at, acknowledged, webhook_delivery.status
FROM event LEFT JOIN webhook_delivery USING (bank_id, event_id)
WHERE bank_id = $1 AND ($2 IS NULL OR event.unique_id = $3)
    AND ($4 IS NULL OR type = $5)
ORDER BY event_id DESC LIMIT $6;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- newestInventory
PREPARE recorded AS
SELECT version, contents, mac FROM inventory ORDER BY version DESC LIMIT 1;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- observe
PREPARE recorded AS
SELECT bank_id, sum(pending)::bigint, min(oldest), sum(parked)::bigint FROM (
    SELECT bank_id, count(*) AS pending, min(pending_since) AS oldest, 0 AS parked
    FROM webhook_delivery WHERE status = 'PENDING' GROUP BY bank_id
    UNION ALL
    SELECT bank_id, 0, NULL, count(*) FROM webhook_delivery WHERE status = 'PARKED' GROUP BY bank_id
) AS parts GROUP BY bank_id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- observe 2
PREPARE recorded (timestamptz) AS
SELECT bank_id, purpose, coalesce(min(not_after) FILTER (WHERE not_after > $1), max(not_after))
FROM certificate JOIN bank USING (bank_id)
WHERE certificate.status = 'ACTIVE' AND bank.status = 'ACTIVE'
GROUP BY bank_id, purpose;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- observe 3
PREPARE recorded AS
SELECT bank_id, min(next_update) FROM revocation_list JOIN bank USING (bank_id)
WHERE bank.status = 'ACTIVE' GROUP BY bank_id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- observe 4
PREPARE recorded AS
SELECT scope, signed_at FROM trust_list;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- observe 5
PREPARE recorded AS
SELECT DISTINCT ON (purpose) purpose, uses FROM data_key ORDER BY purpose, id DESC;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- observe 6
PREPARE recorded AS
SELECT sealed_at FROM audit_seal ORDER BY number DESC LIMIT 1;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- observe 7
PREPARE recorded AS
SELECT schema_version FROM schema_state;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- ownsSchema
PREPARE recorded AS
SELECT pg_has_role(current_user, nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'card_companion';
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- parkedDeliveries
PREPARE recorded (text, bigint) AS
SELECT public_id, nullif(delivery.unique_id, ''), attempts, last_error
FROM webhook_delivery AS delivery JOIN event USING (bank_id, event_id)
WHERE bank_id = $1 AND status = 'PARKED' ORDER BY event_id LIMIT $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- passRestore
PREPARE recorded AS
SELECT setval('event_position', nextval('event_position') + $1),
    setval('cardholder_version', nextval('cardholder_version') + $2);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- passRestore 2
PREPARE recorded AS
UPDATE event SET position = NULL WHERE NOT acknowledged AND position IS NOT NULL;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- passRestore 3
PREPARE recorded AS
INSERT INTO event_feed (bank_id, handed_out, lost)
SELECT bank_id, last_value, last_value FROM bank, event_position
ON CONFLICT (bank_id) DO UPDATE SET handed_out = excluded.handed_out, lost = excluded.lost;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- passRestore 4
PREPARE recorded AS
UPDATE bank SET requests_from = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- passRestore 5
PREPARE recorded AS
WITH removed AS (DELETE FROM identity_pass RETURNING removed_pass(p_row => identity_pass) AS change)
SELECT append_audit(
    p_now => $1, p_operation => $2, p_outcome => $3, p_bank_id => NULL,
    p_subject => NULL, p_actor => $4, p_detail => count(*) || ' passes',
    p_rows => string_agg(change, ''))
FROM removed HAVING count(*) > 0;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- passRestore 6
PREPARE recorded AS
DELETE FROM identity_check;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- pendingKeys
PREPARE recorded (text, timestamptz) AS
SELECT label, usage, algorithm, direction, component_count, begun_by, expires_at, ARRAY(
    SELECT entered_by FROM key_component
    WHERE key_component.bank_id = key_import.bank_id AND key_component.label = key_import.label
    ORDER BY number
)
FROM key_import WHERE bank_id = $1 AND expires_at > $2 ORDER BY label;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- ping
PREPARE recorded AS
SELECT true;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- proposedChanges
PREPARE recorded (timestamptz) AS
SELECT id, action, change, statement, operator_name, signature, expires_at FROM proposed_change WHERE expires_at >= $1
ORDER BY expires_at, id;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- putRevocationList
PREPARE recorded (bytea[], text, text, timestamptz, bytea, timestamptz, timestamptz) AS
WITH serials AS (
    SELECT unnest($1) AS serial
), list AS (
    INSERT INTO revocation_list AS present (bank_id, issuer, this_update, number, next_update, imported_at)
    VALUES ($2, $3, $4, $5, $6, $7)
    ON CONFLICT (bank_id, issuer) DO UPDATE SET
        this_update = excluded.this_update, number = excluded.number, next_update = excluded.next_update,
        imported_at = excluded.imported_at,
        noticed_days = CASE WHEN present.next_update = excluded.next_update THEN present.noticed_days END
    WHERE (present.this_update, coalesce(present.number, ''))
        <= (excluded.this_update, coalesce(excluded.number, ''))
    RETURNING bank_id, issuer
), gone AS (
    DELETE FROM revoked_certificate AS old USING list
    WHERE (old.bank_id, old.issuer) = (list.bank_id, list.issuer)
        AND old.serial NOT IN (SELECT serial FROM serials)
), new AS (
    INSERT INTO revoked_certificate (bank_id, issuer, serial)
    SELECT list.bank_id, list.issuer, serial FROM list, serials
    ON CONFLICT DO NOTHING
)
SELECT FROM list;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- putTrustList
PREPARE recorded (text, bytea, bytea, bytea, timestamptz, timestamptz) AS
INSERT INTO trust_list AS present (scope, list, root, sealed_digest, signed_at, imported_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (scope) DO UPDATE SET
    list = excluded.list, root = excluded.root, sealed_digest = excluded.sealed_digest,
    signed_at = excluded.signed_at, imported_at = excluded.imported_at
WHERE present.signed_at <= excluded.signed_at;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- putTrustRevocationList
PREPARE recorded AS
INSERT INTO trust_revocation_list AS present (scope, issuer, digest, list, this_update, number, imported_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (scope, issuer) DO UPDATE SET
    digest = excluded.digest, list = excluded.list, this_update = excluded.this_update,
    number = excluded.number, imported_at = excluded.imported_at
WHERE (present.this_update, coalesce(present.number, ''))
    <= (excluded.this_update, coalesce(excluded.number, ''));
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- recordFunction
PREPARE recorded (text, bytea) AS
INSERT INTO schema_function (name, digest) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, applied_at = now();
DEALLOCATE recorded;

-- recordMigration
PREPARE recorded (text, bytea) AS
INSERT INTO schema_migration (name, digest) VALUES ($1, $2);
DEALLOCATE recorded;

-- recordState
PREPARE recorded (bigint, bigint, bytea, bytea) AS
INSERT INTO schema_state (schema_version, oldest_program, grants_digest)
VALUES ($1, $2, coalesce($3, ''))
ON CONFLICT (is_only_row) DO UPDATE SET
    schema_version = excluded.schema_version, oldest_program = excluded.oldest_program,
    grants_digest = coalesce($4, schema_state.grants_digest);
DEALLOCATE recorded;

-- releaseMigrationLock
PREPARE recorded (bigint) AS
SELECT pg_advisory_unlock($1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- removeBank
PREPARE recorded (text) AS
WITH removed AS (
    DELETE FROM bank WHERE bank_id = $1 AND status = 'DISABLED' RETURNING bank_id
), lists AS (
    DELETE FROM trust_revocation_list USING removed WHERE scope = bank_id
), list AS (
    DELETE FROM trust_list USING removed WHERE scope = bank_id
), inventory AS (
    DELETE FROM bank_inventory USING removed WHERE bank_inventory.bank_id = removed.bank_id
)
SELECT FROM removed;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- removeCardholders
PREPARE recorded (text, text, bigint, text, text, text, text, text, text) AS
WITH due AS (
    SELECT unique_id FROM cardholder WHERE bank_id = $1
        AND NOT EXISTS (SELECT FROM bank WHERE bank_id = $2 AND status <> 'DISABLED')
    LIMIT $3 FOR UPDATE
), gone_pass AS (
    DELETE FROM identity_pass USING due
    WHERE identity_pass.bank_id = $4 AND identity_pass.unique_id = due.unique_id
    RETURNING removed_pass(p_row => identity_pass) AS change
), gone AS (
    DELETE FROM cardholder USING due
    WHERE cardholder.bank_id = $5 AND cardholder.unique_id = due.unique_id
    RETURNING changed_cardholder(p_before => cardholder, p_after => NULL) AS change
)
SELECT (SELECT count(*) FROM gone),
    CASE WHEN EXISTS (SELECT FROM gone) THEN append_audit(
        p_now => clock_timestamp(), p_operation => $6,
        p_outcome => $7, p_bank_id => $8, p_subject => NULL,
        p_actor => $9, p_detail => (SELECT count(*) FROM gone) || ' cardholders',
        p_rows => (SELECT string_agg(change, '') FROM (
            SELECT change FROM gone_pass UNION ALL SELECT change FROM gone) AS gone_row)) END;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- removeClosedEntries
PREPARE recorded (integer[], bigint[], bigint) AS
DELETE FROM audit_entry WHERE (chain_id, sequence) IN (
    SELECT closed.chain_id, closed.sequence
    FROM unnest($1, $2) AS closed_end (chain_id, sequence)
        JOIN audit_entry AS closed
        ON closed.chain_id = closed_end.chain_id AND closed.sequence <= closed_end.sequence
    LIMIT $3);
DEALLOCATE recorded;

-- removeClosedSeals
PREPARE recorded (bigint, bigint) AS
DELETE FROM audit_seal WHERE number IN (
    SELECT number FROM audit_seal WHERE number <= $1 ORDER BY number LIMIT $2);
DEALLOCATE recorded;

-- removeRevocationList
PREPARE recorded (text, text) AS
DELETE FROM revocation_list WHERE bank_id = $1 AND issuer = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- removeRows
PREPARE recorded (text, text, text, bigint) AS
DELETE FROM defined_pin WHERE bank_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM defined_pin WHERE bank_id = $2
        AND NOT EXISTS (SELECT FROM bank WHERE bank_id = $3 AND status <> 'DISABLED')
    LIMIT $4));
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- removeRows
PREPARE recorded (text, text, text, bigint) AS
DELETE FROM delivery_session WHERE bank_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM delivery_session WHERE bank_id = $2
        AND NOT EXISTS (SELECT FROM bank WHERE bank_id = $3 AND status <> 'DISABLED')
    LIMIT $4));
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- removeRows
PREPARE recorded (text, text, text, bigint) AS
DELETE FROM event WHERE bank_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM event WHERE bank_id = $2
        AND NOT EXISTS (SELECT FROM bank WHERE bank_id = $3 AND status <> 'DISABLED')
    LIMIT $4));
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- removeRows
PREPARE recorded (text, text, text, bigint) AS
DELETE FROM event_feed WHERE bank_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM event_feed WHERE bank_id = $2
        AND NOT EXISTS (SELECT FROM bank WHERE bank_id = $3 AND status <> 'DISABLED')
    LIMIT $4));
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- removeRows
PREPARE recorded (text, text, text, bigint) AS
DELETE FROM idempotent_answer WHERE bank_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM idempotent_answer WHERE bank_id = $2
        AND NOT EXISTS (SELECT FROM bank WHERE bank_id = $3 AND status <> 'DISABLED')
    LIMIT $4));
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- removeRows
PREPARE recorded (text, text, text, bigint) AS
DELETE FROM import_line WHERE bank_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM import_line WHERE bank_id = $2
        AND NOT EXISTS (SELECT FROM bank WHERE bank_id = $3 AND status <> 'DISABLED')
    LIMIT $4));
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- removeRows
PREPARE recorded (text, text, text, bigint) AS
DELETE FROM pin_expiry WHERE bank_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM pin_expiry WHERE bank_id = $2
        AND NOT EXISTS (SELECT FROM bank WHERE bank_id = $3 AND status <> 'DISABLED')
    LIMIT $4));
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- removeRows
PREPARE recorded (text, text, text, bigint) AS
DELETE FROM spent_proof WHERE bank_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM spent_proof WHERE bank_id = $2
        AND NOT EXISTS (SELECT FROM bank WHERE bank_id = $3 AND status <> 'DISABLED')
    LIMIT $4));
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- removeRows
PREPARE recorded (text, text, text, bigint) AS
DELETE FROM spent_transaction WHERE bank_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM spent_transaction WHERE bank_id = $2
        AND NOT EXISTS (SELECT FROM bank WHERE bank_id = $3 AND status <> 'DISABLED')
    LIMIT $4));
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- removeRows
PREPARE recorded (text, text, text, bigint) AS
DELETE FROM webhook_delivery WHERE bank_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM webhook_delivery WHERE bank_id = $2
        AND NOT EXISTS (SELECT FROM bank WHERE bank_id = $3 AND status <> 'DISABLED')
    LIMIT $4));
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- removeTrustList
PREPARE recorded AS
DELETE FROM trust_revocation_list WHERE scope = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- removeTrustList 2
PREPARE recorded AS
DELETE FROM trust_list WHERE scope = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- replace
PREPARE recorded (text[], text[], bytea[], bytea[]) AS
WITH resealed AS (
    SELECT * FROM unnest(
        $1, $2, $3, $4
    ) AS resealed (bank_id, row_id, old_value, new_value)
), free AS (
    SELECT resealed.* FROM hmac_key JOIN resealed
        ON (hmac_key.bank_id, hmac_key.label) = (resealed.bank_id, resealed.row_id)
    WHERE hmac_key.sealed_key = resealed.old_value
    FOR UPDATE OF hmac_key SKIP LOCKED
)
UPDATE hmac_key SET sealed_key = free.new_value FROM free
WHERE (hmac_key.bank_id, hmac_key.label) = (free.bank_id, free.row_id)
    AND hmac_key.sealed_key = free.old_value;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- replace
PREPARE recorded (text[], text[], bytea[], bytea[]) AS
WITH resealed AS (
    SELECT * FROM unnest(
        $1, $2, $3, $4
    ) AS resealed (bank_id, row_id, old_value, new_value)
), free AS (
    SELECT resealed.* FROM master_key JOIN resealed
        ON (''::text, master_key.id) = (resealed.bank_id, resealed.row_id)
    WHERE master_key.sealed_public_key = resealed.old_value
    FOR UPDATE OF master_key SKIP LOCKED
)
UPDATE master_key SET sealed_public_key = free.new_value FROM free
WHERE (''::text, master_key.id) = (free.bank_id, free.row_id)
    AND master_key.sealed_public_key = free.old_value;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- replace
PREPARE recorded (text[], text[], bytea[], bytea[]) AS
WITH resealed AS (
    SELECT * FROM unnest(
        $1, $2, $3, $4
    ) AS resealed (bank_id, row_id, old_value, new_value)
), free AS (
    SELECT resealed.* FROM server_key JOIN resealed
        ON (''::text, server_key.key_id) = (resealed.bank_id, resealed.row_id)
    WHERE server_key.sealed_key = resealed.old_value
    FOR UPDATE OF server_key SKIP LOCKED
)
UPDATE server_key SET sealed_key = free.new_value FROM free
WHERE (''::text, server_key.key_id) = (free.bank_id, free.row_id)
    AND server_key.sealed_key = free.old_value;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- replace
PREPARE recorded (text[], text[], bytea[], bytea[]) AS
WITH resealed AS (
    SELECT * FROM unnest(
        $1, $2, $3, $4
    ) AS resealed (bank_id, row_id, old_value, new_value)
), free AS (
    SELECT resealed.* FROM server_key JOIN resealed
        ON (''::text, server_key.key_id) = (resealed.bank_id, resealed.row_id)
    WHERE server_key.sealed_public_key = resealed.old_value
    FOR UPDATE OF server_key SKIP LOCKED
)
UPDATE server_key SET sealed_public_key = free.new_value FROM free
WHERE (''::text, server_key.key_id) = (free.bank_id, free.row_id)
    AND server_key.sealed_public_key = free.old_value;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- replace
PREPARE recorded (text[], text[], bytea[], bytea[]) AS
WITH resealed AS (
    SELECT * FROM unnest(
        $1, $2, $3, $4
    ) AS resealed (bank_id, row_id, old_value, new_value)
), free AS (
    SELECT resealed.* FROM trust_list JOIN resealed
        ON (trust_list.scope, 'list'::text) = (resealed.bank_id, resealed.row_id)
    WHERE trust_list.sealed_digest = resealed.old_value
    FOR UPDATE OF trust_list SKIP LOCKED
)
UPDATE trust_list SET sealed_digest = free.new_value FROM free
WHERE (trust_list.scope, 'list'::text) = (free.bank_id, free.row_id)
    AND trust_list.sealed_digest = free.old_value;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- replaceInCardholders
PREPARE recorded (text[], text[], bytea[], bytea[], timestamptz, text, text) AS
WITH resealed AS (
    SELECT * FROM unnest(
        $1, $2, $3, $4
    ) AS resealed (bank_id, row_id, old_value, new_value)
), free AS (
    SELECT resealed.*, cardholder AS before FROM cardholder JOIN resealed
        ON (cardholder.bank_id, cardholder.unique_id) = (resealed.bank_id, resealed.row_id)
    WHERE cardholder.sealed_free_field = resealed.old_value
    FOR UPDATE OF cardholder SKIP LOCKED
), changed AS (
    UPDATE cardholder SET sealed_free_field = free.new_value, changes = changes + 1 FROM free
    WHERE (cardholder.bank_id, cardholder.unique_id) = (free.bank_id, free.row_id)
    RETURNING changed_cardholder(p_before => free.before, p_after => cardholder) AS change
)
SELECT (SELECT count(*) FROM changed),
    CASE WHEN EXISTS (SELECT FROM changed) THEN append_audit(
        p_now => $5, p_operation => $6, p_outcome => 'sealed values anew', p_bank_id => NULL,
        p_subject => NULL, p_actor => $7, p_detail => (SELECT count(*) FROM changed) || ' values',
        p_rows => (SELECT string_agg(change, '') FROM changed)) END;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- replaceInCardholders
PREPARE recorded (text[], text[], bytea[], bytea[], timestamptz, text, text) AS
WITH resealed AS (
    SELECT * FROM unnest(
        $1, $2, $3, $4
    ) AS resealed (bank_id, row_id, old_value, new_value)
), free AS (
    SELECT resealed.*, cardholder AS before FROM cardholder JOIN resealed
        ON (cardholder.bank_id, cardholder.unique_id) = (resealed.bank_id, resealed.row_id)
    WHERE cardholder.sealed_pin = resealed.old_value
    FOR UPDATE OF cardholder SKIP LOCKED
), changed AS (
    UPDATE cardholder SET sealed_pin = free.new_value, changes = changes + 1 FROM free
    WHERE (cardholder.bank_id, cardholder.unique_id) = (free.bank_id, free.row_id)
    RETURNING changed_cardholder(p_before => free.before, p_after => cardholder) AS change
)
SELECT (SELECT count(*) FROM changed),
    CASE WHEN EXISTS (SELECT FROM changed) THEN append_audit(
        p_now => $5, p_operation => $6, p_outcome => 'sealed values anew', p_bank_id => NULL,
        p_subject => NULL, p_actor => $7, p_detail => (SELECT count(*) FROM changed) || ' values',
        p_rows => (SELECT string_agg(change, '') FROM changed)) END;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- replaceKeyMAC
PREPARE recorded (bytea, bytea) AS
UPDATE key_identity SET key_mac = $1 WHERE key_mac = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- replaced
PREPARE recorded AS
SELECT proname::text, sha256(convert_to(prosrc, 'UTF8')) FROM pg_proc
WHERE pronamespace = 'card_companion'::regnamespace;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- reportAuditSeal
PREPARE recorded (text, timestamptz, timestamptz) AS
INSERT INTO event (bank_id, type, data, occurred_at)
SELECT bank_id, 'audit.sealed', $1::jsonb, $2 FROM bank
WHERE status = 'ACTIVE' AND created_at <= $3 - interval '1 day'
ON CONFLICT DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- reportExpiringCertificates
PREPARE recorded (timestamptz, timestamptz, timestamptz, timestamptz, bigint, timestamptz) AS
WITH due AS (
    SELECT bank_id, alias, purpose, not_after, days FROM (
        SELECT *, CASE
            WHEN not_after <= $1 + interval '1 day' THEN 1
            WHEN not_after <= $2 + interval '7 days' THEN 7
            ELSE 30
        END AS days
        FROM certificate
        WHERE status = 'ACTIVE' AND not_after > $3 AND not_after <= $4 + interval '30 days'
    ) AS expiring
    WHERE noticed_days IS NULL OR days < noticed_days
    LIMIT $5 FOR UPDATE SKIP LOCKED
), noticed AS (
    UPDATE certificate SET noticed_days = due.days FROM due
    WHERE (certificate.bank_id, certificate.alias) = (due.bank_id, due.alias)
        AND (noticed_days IS NULL OR due.days < noticed_days)
    RETURNING due.*
)
INSERT INTO event (bank_id, type, data, occurred_at)
SELECT bank_id, 'certificate.expiring', jsonb_build_object(
    'alias', alias, 'use', purpose, 'notAfter', floor(extract(epoch FROM not_after))::bigint, 'days', days), $6
FROM noticed;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- reportExpiringLists
PREPARE recorded (timestamptz, timestamptz, timestamptz, bigint, timestamptz) AS
WITH due AS (
    SELECT bank_id, issuer, next_update, days FROM (
        SELECT *, CASE
            WHEN next_update <= $1 THEN 0
            WHEN next_update <= $2 + interval '1 day' THEN 1
            ELSE 2
        END AS days
        FROM revocation_list WHERE next_update <= $3 + interval '2 days'
    ) AS expiring
    WHERE noticed_days IS NULL OR days < noticed_days
    LIMIT $4 FOR UPDATE SKIP LOCKED
), noticed AS (
    UPDATE revocation_list AS list SET noticed_days = due.days FROM due
    WHERE (list.bank_id, list.issuer) = (due.bank_id, due.issuer)
        AND (list.noticed_days IS NULL OR due.days < list.noticed_days)
    RETURNING due.*
)
INSERT INTO event (bank_id, type, data, occurred_at)
SELECT bank_id, 'revocation-list.expiring', jsonb_build_object(
    'issuer', issuer, 'nextUpdate', floor(extract(epoch FROM next_update))::bigint, 'days', days), $5
FROM noticed;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- reportServerVault
PREPARE recorded (text, text, text, bigint, timestamptz) AS
INSERT INTO server_vault (server_id, server_name, master_key_id, inventory_version, seen_at)
VALUES (
    $1, $2, $3, $4, $5)
ON CONFLICT (server_id) DO UPDATE SET master_key_id = excluded.master_key_id,
    inventory_version = excluded.inventory_version, seen_at = excluded.seen_at;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- reportServerVault 2
PREPARE recorded (timestamptz) AS
DELETE FROM server_vault WHERE seen_at < $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- resealing
PREPARE recorded AS
SELECT sealed_column, data_key_id, after_bank_id, after_row_id, is_finished FROM resealing
ORDER BY sealed_column;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- resendDeliveries
PREPARE recorded (timestamptz, timestamptz, text, text, text) AS
UPDATE webhook_delivery AS delivery SET
    status = 'PENDING', attempts = 0, pending_since = $1, next_attempt_at = $2, leased_until = NULL
FROM event
WHERE delivery.bank_id = $3 AND (event.bank_id, event.event_id) = (delivery.bank_id, delivery.event_id)
    AND public_id = coalesce($4, public_id) AND ($5 IS NOT NULL OR delivery.status = 'PARKED');
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- restartResealing
PREPARE recorded AS
UPDATE resealing SET after_bank_id = '', after_row_id = '', is_finished = false, leased_until = '-infinity'
WHERE sealed_column = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- retireServerKey
PREPARE recorded (timestamptz, boolean, text, boolean) AS
UPDATE server_key SET
    status = 'RETIRED', retired_at = coalesce(retired_at, $1),
    sealed_key = CASE WHEN kind <> 'SIGNING' AND NOT $2 THEN sealed_key END
WHERE key_id = $3 AND (
    status = 'RETIRING' OR (status = 'RETIRED' AND $4 AND sealed_key IS NOT NULL));
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- revocation
PREPARE recorded (text, text, text, text, bytea) AS
SELECT
    (SELECT next_update FROM revocation_list WHERE bank_id = $1 AND issuer = $2),
    EXISTS (
        SELECT FROM revoked_certificate WHERE bank_id = $3
            AND issuer = $4 AND serial = $5
    );
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- revocationLists
PREPARE recorded (text) AS
SELECT issuer, this_update, number, next_update, imported_at FROM revocation_list WHERE bank_id = $1 ORDER BY issuer;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- revocationLists 2
PREPARE recorded (timestamptz) AS
SELECT bank_id, issuer, this_update, number, next_update, imported_at FROM revocation_list WHERE next_update <= $1
ORDER BY bank_id, issuer;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- revocationListsQuery
PREPARE recorded (text) AS
SELECT issuer, this_update, number, next_update, imported_at, ARRAY(
    SELECT serial FROM revoked_certificate AS revoked
    WHERE (revoked.bank_id, revoked.issuer) = (revocation_list.bank_id, revocation_list.issuer) ORDER BY serial)
FROM revocation_list WHERE bank_id = $1 ORDER BY issuer;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- roleExists
PREPARE recorded (text) AS
SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- rotateServerKey
PREPARE recorded (timestamptz, text) AS
UPDATE server_key SET status = 'RETIRING', demoted_at = $1
WHERE kind = $2 AND status = 'ACTIVE';
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- saveResealing
PREPARE recorded (text, text, boolean, timestamptz, text, integer, text, text) AS
UPDATE resealing SET after_bank_id = $1, after_row_id = $2,
    is_finished = $3, leased_until = $4
WHERE sealed_column = $5 AND data_key_id = $6
    AND (after_bank_id, after_row_id) = ($7, $8)
RETURNING true;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- schemaExistence
PREPARE recorded AS
WITH found AS (
    SELECT nspname || '.' || relname AS name
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
)
SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'card_companion'),
    coalesce(
        (SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = 'card_companion'), true),
    EXISTS (SELECT FROM found WHERE name = 'card_companion.schema_state'),
    EXISTS (SELECT FROM found WHERE name = 'public.schema_migration')
        AND EXISTS (SELECT FROM found WHERE name = 'public.cardholder');
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- schemaState
PREPARE recorded AS
SELECT schema_version, oldest_program, grants_digest FROM schema_state;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- schemaState 2
PREPARE recorded AS
SELECT name, digest FROM schema_migration ORDER BY name;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- schemaState 3
PREPARE recorded AS
SELECT name, digest FROM schema_function ORDER BY name;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- sealKeys
PREPARE recorded AS
SELECT key_id, sealed_public_key FROM seal_key ORDER BY created_at, key_id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- serverKey
PREPARE recorded (text) AS
SELECT key_id, kind, status, sealed_key, sealed_public_key, created_at, demoted_at, retired_at FROM server_key WHERE key_id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- serverKeyInsertion
PREPARE recorded (text, text, bytea, bytea, timestamptz) AS
INSERT INTO server_key (key_id, kind, sealed_key, sealed_public_key, status, created_at)
VALUES ($1, $2, $3, $4, 'ACTIVE', $5)
ON CONFLICT (kind) WHERE status = 'ACTIVE' DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- serverKeys
PREPARE recorded AS
SELECT key_id, kind, status, sealed_key, sealed_public_key, created_at, demoted_at, retired_at FROM server_key ORDER BY kind, status, created_at DESC;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- serverVaults
PREPARE recorded (timestamptz) AS
SELECT server_id, server_name, master_key_id, inventory_version, seen_at FROM server_vault WHERE seen_at >= $1 ORDER BY server_name, server_id;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- setCertificate
PREPARE recorded (text, text, text) AS
UPDATE certificate SET status = $1 WHERE bank_id = $2 AND alias = $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- setDataKey
PREPARE recorded (text, integer, integer) AS
UPDATE data_key SET state = $1 WHERE id = $2 AND state <> 'DESTROYED'
    AND EXISTS (SELECT FROM data_key AS next WHERE next.replaces = $3);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- setDataKey 2
PREPARE recorded (integer, integer) AS
DELETE FROM data_key_wrapping
WHERE data_key_id = $1 AND EXISTS (SELECT FROM data_key WHERE data_key.id = $2 AND state = 'DESTROYED');
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- setDefaultCertificate
PREPARE recorded (text, text, text) AS
UPDATE certificate SET is_default = false FROM certificate AS new
WHERE certificate.bank_id = $1 AND certificate.is_default AND certificate.alias <> new.alias
    AND new.bank_id = $2 AND new.alias = $3 AND new.purpose = certificate.purpose
    AND new.status = 'ACTIVE';
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- setDefaultCertificate 2
PREPARE recorded (text, text) AS
UPDATE certificate SET is_default = true
WHERE bank_id = $1 AND alias = $2 AND status = 'ACTIVE' AND purpose <> 'client';
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- setDocumentClient
PREPARE recorded (text, text, text) AS
UPDATE document_client SET status = $1 WHERE bank_id = $2 AND client_id = $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- setIssuerKey
PREPARE recorded (text, text, text) AS
UPDATE issuer_key SET status = $1 WHERE bank_id = $2 AND key_id = $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- setKey
PREPARE recorded (text, text, text) AS
UPDATE hmac_key SET status = $1 WHERE bank_id = $2 AND label = $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- setKey 2
PREPARE recorded (text, text, text) AS
UPDATE bank_key SET status = $1 WHERE bank_id = $2 AND label = $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- setWebhook
PREPARE recorded (text, text, boolean, boolean, text, timestamptz) AS
INSERT INTO webhook (bank_id, url, is_private, acknowledges, status, created_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (bank_id) DO UPDATE SET
    url = excluded.url, is_private = excluded.is_private, acknowledges = excluded.acknowledges,
    status = excluded.status;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- trustList
PREPARE recorded (text) AS
SELECT scope, list, root, sealed_digest, signed_at, imported_at FROM trust_list WHERE scope IN ($1, '')
ORDER BY scope DESC LIMIT 1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- trustList 2
PREPARE recorded (text) AS
SELECT scope, list, root, sealed_digest, signed_at, imported_at FROM trust_list WHERE scope = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- trustListSummaries
PREPARE recorded AS
SELECT trust_list.scope, signed_at, trust_list.imported_at, count(revocation.issuer), min(this_update)
FROM trust_list LEFT JOIN trust_revocation_list AS revocation USING (scope)
GROUP BY trust_list.scope ORDER BY trust_list.scope;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- trustRevisionQuery
PREPARE recorded AS
SELECT concat_ws(' ', scope, encode(sha256(sealed_digest), 'hex'), (
    SELECT encode(sha256(string_agg(issuer || digest, '' ORDER BY issuer)), 'hex')
    FROM trust_revocation_list AS revocation WHERE revocation.scope = trust_list.scope))
FROM trust_list WHERE scope IN ($1, '') ORDER BY scope DESC LIMIT 1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- trustRevocationLists
PREPARE recorded (text) AS
SELECT scope, issuer, digest, list, this_update, number, imported_at FROM trust_revocation_list
WHERE scope = $1 ORDER BY issuer;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- tryMigrationLock
PREPARE recorded (bigint) AS
SELECT pg_try_advisory_lock($1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- updateBank
PREPARE recorded (text, text, text, text, text, text, bigint) AS
UPDATE bank SET status = $1, programme = $2, settings = $3,
    settings_digest = sha256(convert_to($4, 'UTF8')),
    approved_settings = coalesce($5, approved_settings)
WHERE bank_id = $6 AND revision = $7;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- values
PREPARE recorded (integer, text, text, bigint) AS
SELECT ''::text, master_key.id,
    CASE WHEN substring(sealed_public_key FOR 4) <> int4send($1) THEN sealed_public_key END
FROM master_key WHERE (''::text, master_key.id) > ($2, $3) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- values
PREPARE recorded (integer, text, text, bigint) AS
SELECT ''::text, seal_key.key_id,
    CASE WHEN substring(sealed_public_key FOR 4) <> int4send($1) THEN sealed_public_key END
FROM seal_key WHERE (''::text, seal_key.key_id) > ($2, $3) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- values
PREPARE recorded (integer, text, text, bigint) AS
SELECT ''::text, server_key.key_id,
    CASE WHEN substring(sealed_key FOR 4) <> int4send($1) THEN sealed_key END
FROM server_key WHERE (''::text, server_key.key_id) > ($2, $3) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- values
PREPARE recorded (integer, text, text, bigint) AS
SELECT ''::text, server_key.key_id,
    CASE WHEN substring(sealed_public_key FOR 4) <> int4send($1) THEN sealed_public_key END
FROM server_key WHERE (''::text, server_key.key_id) > ($2, $3) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- values
PREPARE recorded (integer, text, text, bigint) AS
SELECT bank_key.bank_id, bank_key.label,
    CASE WHEN substring(sealed_key FOR 4) <> int4send($1) THEN sealed_key END
FROM bank_key WHERE (bank_key.bank_id, bank_key.label) > ($2, $3) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- values
PREPARE recorded (integer, text, text, bigint) AS
SELECT cardholder.bank_id, cardholder.unique_id,
    CASE WHEN substring(sealed_free_field FOR 4) <> int4send($1) THEN sealed_free_field END
FROM cardholder WHERE (cardholder.bank_id, cardholder.unique_id) > ($2, $3) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- values
PREPARE recorded (integer, text, text, bigint) AS
SELECT cardholder.bank_id, cardholder.unique_id,
    CASE WHEN substring(sealed_pin FOR 4) <> int4send($1) THEN sealed_pin END
FROM cardholder WHERE (cardholder.bank_id, cardholder.unique_id) > ($2, $3) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- values
PREPARE recorded (integer, text, text, bigint) AS
SELECT hmac_key.bank_id, hmac_key.label,
    CASE WHEN substring(sealed_key FOR 4) <> int4send($1) THEN sealed_key END
FROM hmac_key WHERE (hmac_key.bank_id, hmac_key.label) > ($2, $3) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- values
PREPARE recorded (integer, text, text, bigint) AS
SELECT issuer_key.bank_id, issuer_key.key_id,
    CASE WHEN substring(sealed_secret FOR 4) <> int4send($1) THEN sealed_secret END
FROM issuer_key WHERE (issuer_key.bank_id, issuer_key.key_id) > ($2, $3) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- values
PREPARE recorded (integer, text, text, bigint) AS
SELECT trust_list.scope, 'list'::text,
    CASE WHEN substring(sealed_digest FOR 4) <> int4send($1) THEN sealed_digest END
FROM trust_list WHERE (trust_list.scope, 'list'::text) > ($2, $3) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- webhook
PREPARE recorded (text) AS
SELECT bank_id, url, is_private, acknowledges, status FROM webhook WHERE bank_id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- wrappingInsertion
PREPARE recorded (timestamptz, integer[], text[], bytea[]) AS
INSERT INTO data_key_wrapping (data_key_id, master_key_id, wrapped_key, created_at)
SELECT new.data_key_id, new.master_key_id, new.wrapped_key, $1
FROM unnest(
    $2, $3, $4
) AS new (data_key_id, master_key_id, wrapped_key)
    JOIN data_key ON data_key.id = new.data_key_id AND data_key.state <> 'DESTROYED'
ON CONFLICT DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;
