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
SELECT EXISTS (SELECT FROM valid), EXISTS (SELECT FROM spent), bank_id, status, pin_minimum_length, pin_maximum_length, code_alphabet, code_minimum_length, code_maximum_length,
sealed_values, check_unique_ids, pin_blocks,
ARRAY(
    SELECT fingerprint FROM certificate LEFT JOIN revocation_list AS list USING (bank_id, issuer)
    WHERE bank_id = bank.bank_id AND purpose = 'client' AND status = 'ACTIVE'
        AND (list.next_update IS NULL OR list.next_update > $7 AND NOT EXISTS (
            SELECT FROM revoked_certificate AS revoked
            WHERE (revoked.bank_id, revoked.issuer, revoked.serial)
                = (certificate.bank_id, certificate.issuer, certificate.serial)))
), revision
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

-- AddUses
PREPARE recorded (integer, bigint) AS
UPDATE data_key SET uses = uses + $2 WHERE id = $1;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- AppendAudit
PREPARE recorded (timestamptz, text, text, text, bytea, text, text) AS
SELECT append_audit(
    p_now => $1, p_operation => $2, p_outcome => $3, p_bank_id => $4, p_subject => $5, p_actor => $6,
    p_detail => $7);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- AppendCommandAudit
PREPARE recorded (text, text, text, text, text) AS
SELECT append_audit(
    p_now => clock_timestamp(), p_operation => $1, p_outcome => $2, p_bank_id => $3, p_subject => NULL,
    p_actor => $4, p_detail => $5);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- CountValues
PREPARE recorded (text, text, integer, integer) AS
WITH page AS (
    SELECT ''::text AS bank_id, master_key.id AS row_id, sealed_public_key AS value
    FROM master_key WHERE (''::text, master_key.id) > ($1, $2) ORDER BY 1, 2 LIMIT $4
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT (SELECT bank_id FROM last), (SELECT row_id FROM last),
    count(*) FILTER (WHERE substring(value FOR 4) = int4send($3))
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- CountValues
PREPARE recorded (text, text, integer, integer) AS
WITH page AS (
    SELECT ''::text AS bank_id, seal_key.key_id AS row_id, sealed_public_key AS value
    FROM seal_key WHERE (''::text, seal_key.key_id) > ($1, $2) ORDER BY 1, 2 LIMIT $4
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT (SELECT bank_id FROM last), (SELECT row_id FROM last),
    count(*) FILTER (WHERE substring(value FOR 4) = int4send($3))
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- CountValues
PREPARE recorded (text, text, integer, integer) AS
WITH page AS (
    SELECT ''::text AS bank_id, server_key.key_id AS row_id, sealed_key AS value
    FROM server_key WHERE (''::text, server_key.key_id) > ($1, $2) ORDER BY 1, 2 LIMIT $4
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT (SELECT bank_id FROM last), (SELECT row_id FROM last),
    count(*) FILTER (WHERE substring(value FOR 4) = int4send($3))
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- CountValues
PREPARE recorded (text, text, integer, integer) AS
WITH page AS (
    SELECT bank_key.bank_id AS bank_id, bank_key.label AS row_id, sealed_key AS value
    FROM bank_key WHERE (bank_key.bank_id, bank_key.label) > ($1, $2) ORDER BY 1, 2 LIMIT $4
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT (SELECT bank_id FROM last), (SELECT row_id FROM last),
    count(*) FILTER (WHERE substring(value FOR 4) = int4send($3))
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- CountValues
PREPARE recorded (text, text, integer, integer) AS
WITH page AS (
    SELECT cardholder.bank_id AS bank_id, cardholder.unique_id AS row_id, code_mac AS value
    FROM cardholder WHERE (cardholder.bank_id, cardholder.unique_id) > ($1, $2) ORDER BY 1, 2 LIMIT $4
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT (SELECT bank_id FROM last), (SELECT row_id FROM last),
    count(*) FILTER (WHERE substring(value FOR 4) = int4send($3))
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- CountValues
PREPARE recorded (text, text, integer, integer) AS
WITH page AS (
    SELECT cardholder.bank_id AS bank_id, cardholder.unique_id AS row_id, free_field_mac AS value
    FROM cardholder WHERE (cardholder.bank_id, cardholder.unique_id) > ($1, $2) ORDER BY 1, 2 LIMIT $4
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT (SELECT bank_id FROM last), (SELECT row_id FROM last),
    count(*) FILTER (WHERE substring(value FOR 4) = int4send($3))
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- CountValues
PREPARE recorded (text, text, integer, integer) AS
WITH page AS (
    SELECT cardholder.bank_id AS bank_id, cardholder.unique_id AS row_id, sealed_free_field AS value
    FROM cardholder WHERE (cardholder.bank_id, cardholder.unique_id) > ($1, $2) ORDER BY 1, 2 LIMIT $4
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT (SELECT bank_id FROM last), (SELECT row_id FROM last),
    count(*) FILTER (WHERE substring(value FOR 4) = int4send($3))
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- CountValues
PREPARE recorded (text, text, integer, integer) AS
WITH page AS (
    SELECT cardholder.bank_id AS bank_id, cardholder.unique_id AS row_id, sealed_pin AS value
    FROM cardholder WHERE (cardholder.bank_id, cardholder.unique_id) > ($1, $2) ORDER BY 1, 2 LIMIT $4
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT (SELECT bank_id FROM last), (SELECT row_id FROM last),
    count(*) FILTER (WHERE substring(value FOR 4) = int4send($3))
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- CountValues
PREPARE recorded (text, text, integer, integer) AS
WITH page AS (
    SELECT hmac_key.bank_id AS bank_id, hmac_key.label AS row_id, sealed_key AS value
    FROM hmac_key WHERE (hmac_key.bank_id, hmac_key.label) > ($1, $2) ORDER BY 1, 2 LIMIT $4
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT (SELECT bank_id FROM last), (SELECT row_id FROM last),
    count(*) FILTER (WHERE substring(value FOR 4) = int4send($3))
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- CountValues
PREPARE recorded (text, text, integer, integer) AS
WITH page AS (
    SELECT issuer_key.bank_id AS bank_id, issuer_key.key_id AS row_id, sealed_secret AS value
    FROM issuer_key WHERE (issuer_key.bank_id, issuer_key.key_id) > ($1, $2) ORDER BY 1, 2 LIMIT $4
), last AS (
    SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
)
SELECT (SELECT bank_id FROM last), (SELECT row_id FROM last),
    count(*) FILTER (WHERE substring(value FOR 4) = int4send($3))
FROM page;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- DefinePIN
PREPARE recorded (timestamptz, text, bigint, text, bytea, timestamptz, bytea, timestamptz, text, bytea, timestamptz, bytea, boolean, text, text, bytea, text, text) AS
SELECT outcome,
    CASE WHEN outcome <> 'stale' THEN append_audit(
        p_now => $1, p_operation => 'define', p_outcome => outcome, p_bank_id => $2, p_subject => $16,
        p_actor => $17, p_detail => $18) END
FROM define_pin(
    p_now => $1, p_bank_id => $2, p_bank_revision => $3, p_unique_id => $4, p_transaction_digest => $5,
    p_transaction_expires_at => $6, p_hmac_digest => $7, p_hmac_expires_at => $8, p_choice => $9,
    p_keypad_digest => $10, p_keypad_expires_at => $11, p_sealed_pin => $12, p_can_deliver => $13,
    p_pin_for_bank => $14, p_event_id => $15) AS outcome;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- DeleteApprovedObjects
PREPARE recorded (bytea[]) AS
DELETE FROM approved_object WHERE object_digest = ANY ($1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- DeleteCardholder
PREPARE recorded (timestamptz, text, text, bigint, boolean, text, bytea, timestamptz, bytea, text, text) AS
SELECT outcome, NULL::bigint, NULL::text, append_audit(
    p_now => $1, p_operation => 'delete-cardholder', p_outcome => outcome, p_bank_id => $2, p_subject => $9,
    p_actor => $10, p_detail => $11)
FROM delete_cardholder(
    p_now => $1, p_bank_id => $2, p_unique_id => $3, p_if_version => $4, p_must_not_exist => $5,
    p_call_key => $6, p_call_mac => $7, p_call_expires_at => $8);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- DeleteClosedEntries
PREPARE recorded (integer[], bigint[], integer) AS
DELETE FROM audit_entry WHERE (chain_id, sequence) IN (
    SELECT closed.chain_id, closed.sequence
    FROM unnest($1::integer[], $2::bigint[]) AS closed_end (chain_id, sequence)
        JOIN audit_entry AS closed
        ON closed.chain_id = closed_end.chain_id AND closed.sequence <= closed_end.sequence
    LIMIT $3);
DEALLOCATE recorded;

-- DeleteClosedSeals
PREPARE recorded (bigint, integer) AS
DELETE FROM audit_seal WHERE number IN (
    SELECT number FROM audit_seal WHERE number <= $1 ORDER BY number LIMIT $2);
DEALLOCATE recorded;

-- DeleteExpiredAnswers
PREPARE recorded (timestamptz, integer) AS
DELETE FROM idempotent_answer WHERE (bank_id, idempotency_key) IN (
    SELECT bank_id, idempotency_key FROM idempotent_answer
    WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- DeleteExpiredChanges
PREPARE recorded (timestamptz, integer) AS
DELETE FROM proposed_change WHERE id IN (
    SELECT id FROM proposed_change WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- DeleteExpiredImport
PREPARE recorded (text, text, timestamptz) AS
DELETE FROM key_import WHERE bank_id = $1 AND label = $2 AND expires_at <= $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- DeleteExpiredKeyImports
PREPARE recorded (timestamptz, integer) AS
DELETE FROM key_import WHERE (bank_id, label) IN (
    SELECT bank_id, label FROM key_import WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- DeleteExpiredProofs
PREPARE recorded (timestamptz, integer) AS
DELETE FROM spent_proof WHERE (bank_id, kind, digest) IN (
    SELECT bank_id, kind, digest FROM spent_proof WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- DeleteExpiredSessions
PREPARE recorded (timestamptz, integer) AS
WITH due AS (
    -- The cardholder is locked too, so that their events have one order.
    SELECT session.* FROM delivery_session AS session JOIN cardholder USING (bank_id, unique_id)
    WHERE session.expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
), reported AS (
    INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
    SELECT bank_id, unique_id, 'pin.delivery-unconfirmed',
        jsonb_build_object('sessionId', session_id, 'channel', channel), $1
    FROM due WHERE notified_status IS NULL
)
DELETE FROM delivery_session AS session USING due
WHERE (session.bank_id, session.session_id) = (due.bank_id, due.session_id);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- DeleteFinishedImport
PREPARE recorded (text, text, bytea) AS
DELETE FROM key_import WHERE bank_id = $1 AND label = $2
    AND EXISTS (SELECT FROM key_identity WHERE bank_id = $1 AND label = $2 AND key_mac = $3);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- DeleteKey
PREPARE recorded (text, text) AS
DELETE FROM key_identity WHERE bank_id = $1 AND label = $2 AND (
    EXISTS (SELECT FROM hmac_key WHERE bank_id = $1 AND label = $2 AND status = 'DISABLED')
    OR EXISTS (SELECT FROM bank_key WHERE bank_id = $1 AND label = $2 AND status = 'DISABLED'));
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- DeleteKeyImport
PREPARE recorded (text, text) AS
DELETE FROM key_import WHERE bank_id = $1 AND label = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- DeleteOldEvents
PREPARE recorded (timestamptz, integer) AS
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

-- DeleteOldServerVaults
PREPARE recorded (timestamptz) AS
DELETE FROM server_vault WHERE seen_at < $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- DeleteOtherApprovedObjects
PREPARE recorded (bytea[]) AS
DELETE FROM approved_object
WHERE object_digest NOT IN (SELECT digest FROM unnest($1::bytea[]) AS digest WHERE digest IS NOT NULL);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- DeleteProposedChange
PREPARE recorded (text) AS
DELETE FROM proposed_change WHERE id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- DeleteReplacedWrappings
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

-- DeleteRevocationList
PREPARE recorded (text, text) AS
DELETE FROM revocation_list WHERE bank_id = $1 AND issuer = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- DeleteServerVault
PREPARE recorded (text) AS
DELETE FROM server_vault WHERE server_id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- DeleteStagedLines
PREPARE recorded (timestamptz, integer) AS
DELETE FROM import_line WHERE (bank_id, import_id, line) IN (
    SELECT bank_id, import_id, line FROM import_line
    WHERE staged_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- DeleteWrappings
PREPARE recorded (integer) AS
DELETE FROM data_key_wrapping
WHERE data_key_id = $1 AND EXISTS (SELECT FROM data_key WHERE data_key.id = $1 AND state = 'DESTROYED');
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- DemoteDefaultCertificate
PREPARE recorded (text, text, text) AS
UPDATE certificate SET is_default = false
WHERE bank_id = $1 AND is_default AND purpose = $3
    AND NOT EXISTS (SELECT FROM certificate WHERE bank_id = $1 AND alias = $2);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- DemoteOtherCertificates
PREPARE recorded (text, text) AS
UPDATE certificate SET is_default = false FROM certificate AS new
WHERE certificate.bank_id = $1 AND certificate.is_default AND certificate.alias <> new.alias
    AND new.bank_id = $1 AND new.alias = $2 AND new.purpose = certificate.purpose AND new.status = 'ACTIVE';
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- DemoteServerKey
PREPARE recorded (text, timestamptz) AS
UPDATE server_key SET status = 'RETIRING', demoted_at = $2 WHERE kind = $1 AND status = 'ACTIVE';
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- DiscardLines
PREPARE recorded (text, text) AS
DELETE FROM import_line WHERE bank_id = $1 AND import_id = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- EraseExpiredPINs
PREPARE recorded (timestamptz, integer) AS
WITH due AS (
    -- Rows that anybody has locked are passed over: so this waits for nobody, and cannot deadlock.
    SELECT expiry.bank_id, expiry.unique_id, expiry.expires_at
    FROM pin_expiry AS expiry JOIN cardholder USING (bank_id, unique_id)
    WHERE expiry.expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
), looked_at AS (
    DELETE FROM pin_expiry AS expiry USING due
    WHERE (expiry.bank_id, expiry.unique_id, expiry.expires_at) = (due.bank_id, due.unique_id, due.expires_at)
), erased AS (
    UPDATE cardholder SET
        sealed_pin = NULL, pin_expires_at = NULL, version = nextval('cardholder_version'), updated_at = $1
    FROM due
    WHERE (cardholder.bank_id, cardholder.unique_id) = (due.bank_id, due.unique_id) AND pin_expires_at <= $1
    RETURNING cardholder.bank_id, cardholder.unique_id
), reported AS (
    INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
    SELECT bank_id, unique_id, 'pin.expired', '{}', $1 FROM erased
)
SELECT (SELECT count(*) FROM due), (SELECT count(*) FROM erased),
    CASE WHEN EXISTS (SELECT FROM erased) THEN append_audit(
        p_now => $1, p_operation => 'housekeeping', p_outcome => 'erased undelivered PINs', p_bank_id => NULL,
        p_subject => NULL, p_actor => 'server', p_detail => (SELECT count(*) FROM erased) || ' PINs') END;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- EraseRetiredKeys
PREPARE recorded (timestamptz, integer) AS
UPDATE server_key SET sealed_key = NULL WHERE key_id IN (
    SELECT key_id FROM server_key
    WHERE status = 'RETIRED' AND retired_at <= $1 AND sealed_key IS NOT NULL LIMIT $2 FOR UPDATE SKIP LOCKED);
EXPLAIN EXECUTE recorded (NULL, NULL);
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
PREPARE recorded (timestamptz, text, bigint, text, text, boolean, bytea, bytea, timestamptz, boolean, boolean, bytea[], text, bytea, bytea[], bytea, text, text) AS
SELECT outcome, sealed_pin, sealed_free_field, accessibility,
    CASE WHEN outcome <> 'stale' THEN append_audit(
        p_now => $1, p_operation => 'fetch', p_bank_id => $2, p_subject => $16,
        -- The lock has an event of its own.
        p_outcome => CASE outcome
            WHEN 'delivered-locks' THEN 'delivered' WHEN 'wrong-code-locks' THEN 'wrong-code' ELSE outcome
        END,
        p_actor => $17, p_detail => $18) END
FROM fetch_pin(
    p_now => $1, p_bank_id => $2, p_bank_revision => $3, p_unique_id => $4, p_channel => $5,
    p_is_reminder => $6, p_transaction_digest => $7, p_hmac_digest => $8, p_hmac_expires_at => $9,
    p_code_is_checked => $10, p_code_has_form => $11, p_code_macs => $12, p_session_id => $13,
    p_token_mac => $14, p_confirmations => $15);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- FinishDelivery
PREPARE recorded (text, bigint, timestamptz) AS
WITH delivered AS (
    UPDATE webhook_delivery SET status = 'DELIVERED', leased_until = NULL, last_error = NULL
    WHERE bank_id = $1 AND event_id = $2 AND status = 'PENDING' AND leased_until = $3
    RETURNING event_id
), acknowledged AS (
    UPDATE event SET acknowledged = true FROM delivered, webhook
    WHERE event.bank_id = $1 AND event.event_id = delivered.event_id
        AND webhook.bank_id = $1 AND webhook.acknowledges
    RETURNING event.event_id
)
DELETE FROM defined_pin USING acknowledged
WHERE defined_pin.bank_id = $1 AND defined_pin.event_id = acknowledged.event_id;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertApproval
PREPARE recorded (text, text, text, bytea, text, bytea, timestamptz) AS
INSERT INTO approval
    (id, statement, first_operator, first_signature, second_operator, second_signature, approved_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (id) DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertAuditSeal
PREPARE recorded (bigint, integer, text, timestamptz, text, bytea, bytea, bytea, text, bytea, bigint, bytea) AS
INSERT INTO audit_seal (number, epoch, kind, sealed_at, note, heads, previous_hash, hash, key_id, signature, closed_number, closed_hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertBank
PREPARE recorded (text, timestamptz, text, text, text, text, integer, integer, text, boolean, integer, integer, integer, integer, integer, text, integer, integer, text, boolean, text, boolean, boolean, integer, boolean, text[], text[], text, text, text[], boolean, text, text[]) AS
INSERT INTO bank (bank_id, status, created_at, approved_settings, name, programme, scheme, timestamp_tolerance_seconds, session_lifetime_seconds, retention, reminders,
undelivered_lifetime_days, retry_limit, fetch_limit, pin_minimum_length, pin_maximum_length, code_alphabet,
code_minimum_length, code_maximum_length, delivery_format, uniform_errors, sealed_values, check_unique_ids, definition,
definitions_per_day, definition_resets_delivery, weak_pin_rules, listed_pins, defined_pins, image_style, hints, text_pins,
defined_pin_key, pin_blocks)
VALUES ($1, 'ACTIVE', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
    $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33)
ON CONFLICT (bank_id) DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertBankKey
PREPARE recorded (text, text, bytea, bytea[], text, text, text, text, bytea, timestamptz) AS
WITH new_identity AS (
    INSERT INTO key_identity (bank_id, label, key_mac)
    SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM key_identity WHERE key_mac = ANY ($4))
    ON CONFLICT DO NOTHING
    RETURNING bank_id, label
)
INSERT INTO bank_key (bank_id, label, usage, algorithm, direction, kcv, sealed_key, status, created_at)
SELECT bank_id, label, $5, $6, $7, $8, $9, 'ACTIVE', $10 FROM new_identity;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertCertificate
PREPARE recorded (text, text, bytea, bytea, text, timestamptz, timestamptz, boolean, text, timestamptz, text, text, bytea) AS
INSERT INTO certificate
    (bank_id, alias, der, fingerprint, subject, not_before, not_after, is_default, status, created_at,
    purpose, issuer, serial)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
ON CONFLICT (bank_id, alias) DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertComponent
PREPARE recorded (text, text, integer, bytea) AS
INSERT INTO key_component (bank_id, label, number, sealed_component)
SELECT bank_id, label, $3, $4 FROM key_import WHERE bank_id = $1 AND label = $2
ON CONFLICT DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertDataKey
PREPARE recorded (integer, text, integer, timestamptz, timestamptz, text[], bytea[]) AS
WITH added AS (
    INSERT INTO data_key (id, purpose, replaces, state, active_from, created_at)
    VALUES ($1, $2, $3, 'USABLE', $4, $5)
    ON CONFLICT DO NOTHING RETURNING id
)
INSERT INTO data_key_wrapping (data_key_id, master_key_id, wrapped_key, created_at)
SELECT added.id, new.master_key_id, new.wrapped_key, $5
FROM added, unnest($6::text[], $7::bytea[]) AS new (master_key_id, wrapped_key);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertHMACKey
PREPARE recorded (text, text, bytea, bytea[], text, text, bytea, timestamptz) AS
WITH new_identity AS (
    INSERT INTO key_identity (bank_id, label, key_mac)
    SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM key_identity WHERE key_mac = ANY ($4))
    ON CONFLICT DO NOTHING
    RETURNING bank_id, label
)
INSERT INTO hmac_key (bank_id, label, kcv, usage, sealed_key, status, created_at)
SELECT bank_id, label, $5, $6, $7, 'ACTIVE', $8 FROM new_identity;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertIssuerKey
PREPARE recorded (text, text, text, bytea, bytea, text, timestamptz) AS
WITH new_key AS (
    INSERT INTO issuer_key (key_id, bank_id, algorithm, public_key, sealed_secret, status, created_at)
    SELECT $1, $2, $3, $4, $5, $6, $7 WHERE NOT EXISTS (SELECT FROM issuer_key_owner WHERE key_id = $1)
    RETURNING key_id, bank_id
)
INSERT INTO issuer_key_owner (key_id, bank_id) SELECT key_id, bank_id FROM new_key;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertKeyImport
PREPARE recorded (text, text, text, text, text, integer, text, timestamptz) AS
INSERT INTO key_import (bank_id, label, usage, algorithm, direction, component_count, begun_by, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertMasterKey
PREPARE recorded (text, text, text, bytea, text, timestamptz) AS
INSERT INTO master_key (id, kind, name, sealed_public_key, status, created_at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (id) DO UPDATE SET status = excluded.status, name = excluded.name;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertMigration
PREPARE recorded (text, bytea) AS
INSERT INTO schema_migration (name, digest) VALUES ($1, $2);
DEALLOCATE recorded;

-- InsertProposedChange
PREPARE recorded (text, text, bytea, text, text, bytea, timestamptz) AS
INSERT INTO proposed_change (id, action, change, statement, operator_name, signature, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertSealKey
PREPARE recorded AS
INSERT INTO seal_key (key_id, sealed_public_key, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertServerKey
PREPARE recorded (text, text, bytea, timestamptz) AS
INSERT INTO server_key (key_id, kind, sealed_key, status, created_at)
VALUES ($1, $2, $3, 'ACTIVE', $4)
ON CONFLICT (kind) WHERE status = 'ACTIVE' DO NOTHING;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- InsertWrappings
PREPARE recorded (integer[], text[], bytea[], timestamptz) AS
INSERT INTO data_key_wrapping (data_key_id, master_key_id, wrapped_key, created_at)
SELECT new.data_key_id, new.master_key_id, new.wrapped_key, $4
FROM unnest($1::integer[], $2::text[], $3::bytea[]) AS new (data_key_id, master_key_id, wrapped_key)
    JOIN data_key ON data_key.id = new.data_key_id AND data_key.state <> 'DESTROYED'
ON CONFLICT DO NOTHING;
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

-- LeaseResealing
PREPARE recorded (text, integer, timestamptz, timestamptz) AS
INSERT INTO resealing AS work
    (sealed_column, data_key_id, after_bank_id, after_row_id, is_finished, leased_until)
VALUES ($1, $2, '', '', false, $4)
ON CONFLICT (sealed_column) DO UPDATE SET
    data_key_id = $2,
    after_bank_id = CASE WHEN work.data_key_id = $2 THEN work.after_bank_id ELSE '' END,
    after_row_id = CASE WHEN work.data_key_id = $2 THEN work.after_row_id ELSE '' END,
    is_finished = false,
    leased_until = $4
WHERE work.leased_until <= $3 AND (work.data_key_id < $2 OR (work.data_key_id = $2 AND NOT work.is_finished))
RETURNING after_bank_id, after_row_id;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- MergeLines
PREPARE recorded (timestamptz, text, text, integer, text) AS
SELECT line, unique_id, outcome, pin, unknown_members
FROM merge_import(p_now => $1, p_bank_id => $2, p_import_id => $3, p_limit => $4, p_actor => $5)
ORDER BY line;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- NotifyDelivery
PREPARE recorded (timestamptz, text, bigint, text, text, text, bytea[], integer, bytea, bytea, text, text) AS
SELECT outcome,
    CASE WHEN outcome <> 'stale' THEN append_audit(
        p_now => $1, p_operation => 'notify', p_outcome => outcome, p_bank_id => $2, p_subject => $10,
        p_actor => $11, p_detail => $12) END
FROM notify_delivery(
    p_now => $1, p_bank_id => $2, p_bank_revision => $3, p_unique_id => $4, p_session_id => $5,
    p_channel => $6, p_token_macs => $7, p_status => $8, p_confirmation => $9) AS outcome;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- PromoteCertificate
PREPARE recorded (text, text) AS
UPDATE certificate SET is_default = true
WHERE bank_id = $1 AND alias = $2 AND status = 'ACTIVE' AND purpose <> 'client';
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- PutRevocationList
PREPARE recorded (text, text, timestamptz, timestamptz, timestamptz, bytea[]) AS
WITH list AS (
    INSERT INTO revocation_list AS present (bank_id, issuer, this_update, next_update, imported_at)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (bank_id, issuer) DO UPDATE SET
        this_update = excluded.this_update, next_update = excluded.next_update, imported_at = excluded.imported_at,
        noticed_days = CASE WHEN present.next_update = excluded.next_update THEN present.noticed_days END
    WHERE present.this_update <= excluded.this_update
    RETURNING bank_id, issuer
), gone AS (
    DELETE FROM revoked_certificate AS old USING list
    WHERE (old.bank_id, old.issuer) = (list.bank_id, list.issuer) AND old.serial NOT IN (SELECT unnest($6::bytea[]))
), new AS (
    INSERT INTO revoked_certificate (bank_id, issuer, serial)
    SELECT list.bank_id, list.issuer, serial FROM list, unnest($6::bytea[]) AS serial
    ON CONFLICT DO NOTHING
)
SELECT EXISTS (SELECT FROM list);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- ReadEvents
PREPARE recorded (text, bigint, integer, integer) AS
SELECT public_id, position, unique_id, type, data, occurred_at FROM read_events(
    p_bank_id => $1, p_after => $2, p_limit => $3, p_number_limit => $4);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- ReleaseMigrationLock
PREPARE recorded (bigint) AS
SELECT pg_advisory_unlock($1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- RemoveBank
PREPARE recorded (text) AS
DELETE FROM bank WHERE bank_id = $1 AND status = 'DISABLED';
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- RemoveRows
PREPARE recorded (text, integer) AS
DELETE FROM cardholder WHERE ctid = ANY (ARRAY(
    SELECT owned.ctid FROM cardholder AS owned
    JOIN bank ON bank.bank_id = owned.bank_id AND bank.status = 'DISABLED'
    WHERE owned.bank_id = $1 LIMIT $2));
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- RemoveRows
PREPARE recorded (text, integer) AS
DELETE FROM defined_pin WHERE ctid = ANY (ARRAY(
    SELECT owned.ctid FROM defined_pin AS owned
    JOIN bank ON bank.bank_id = owned.bank_id AND bank.status = 'DISABLED'
    WHERE owned.bank_id = $1 LIMIT $2));
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- RemoveRows
PREPARE recorded (text, integer) AS
DELETE FROM delivery_session WHERE ctid = ANY (ARRAY(
    SELECT owned.ctid FROM delivery_session AS owned
    JOIN bank ON bank.bank_id = owned.bank_id AND bank.status = 'DISABLED'
    WHERE owned.bank_id = $1 LIMIT $2));
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- RemoveRows
PREPARE recorded (text, integer) AS
DELETE FROM event WHERE ctid = ANY (ARRAY(
    SELECT owned.ctid FROM event AS owned
    JOIN bank ON bank.bank_id = owned.bank_id AND bank.status = 'DISABLED'
    WHERE owned.bank_id = $1 LIMIT $2));
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- RemoveRows
PREPARE recorded (text, integer) AS
DELETE FROM event_feed WHERE ctid = ANY (ARRAY(
    SELECT owned.ctid FROM event_feed AS owned
    JOIN bank ON bank.bank_id = owned.bank_id AND bank.status = 'DISABLED'
    WHERE owned.bank_id = $1 LIMIT $2));
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- RemoveRows
PREPARE recorded (text, integer) AS
DELETE FROM idempotent_answer WHERE ctid = ANY (ARRAY(
    SELECT owned.ctid FROM idempotent_answer AS owned
    JOIN bank ON bank.bank_id = owned.bank_id AND bank.status = 'DISABLED'
    WHERE owned.bank_id = $1 LIMIT $2));
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- RemoveRows
PREPARE recorded (text, integer) AS
DELETE FROM import_line WHERE ctid = ANY (ARRAY(
    SELECT owned.ctid FROM import_line AS owned
    JOIN bank ON bank.bank_id = owned.bank_id AND bank.status = 'DISABLED'
    WHERE owned.bank_id = $1 LIMIT $2));
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- RemoveRows
PREPARE recorded (text, integer) AS
DELETE FROM pin_expiry WHERE ctid = ANY (ARRAY(
    SELECT owned.ctid FROM pin_expiry AS owned
    JOIN bank ON bank.bank_id = owned.bank_id AND bank.status = 'DISABLED'
    WHERE owned.bank_id = $1 LIMIT $2));
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- RemoveRows
PREPARE recorded (text, integer) AS
DELETE FROM spent_proof WHERE ctid = ANY (ARRAY(
    SELECT owned.ctid FROM spent_proof AS owned
    JOIN bank ON bank.bank_id = owned.bank_id AND bank.status = 'DISABLED'
    WHERE owned.bank_id = $1 LIMIT $2));
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- RemoveRows
PREPARE recorded (text, integer) AS
DELETE FROM spent_transaction WHERE ctid = ANY (ARRAY(
    SELECT owned.ctid FROM spent_transaction AS owned
    JOIN bank ON bank.bank_id = owned.bank_id AND bank.status = 'DISABLED'
    WHERE owned.bank_id = $1 LIMIT $2));
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- RemoveRows
PREPARE recorded (text, integer) AS
DELETE FROM webhook_delivery WHERE ctid = ANY (ARRAY(
    SELECT owned.ctid FROM webhook_delivery AS owned
    JOIN bank ON bank.bank_id = owned.bank_id AND bank.status = 'DISABLED'
    WHERE owned.bank_id = $1 LIMIT $2));
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- ReplaceMasterKeys
PREPARE recorded (text[]) AS
UPDATE master_key SET status = 'REPLACED' WHERE id = ANY ($1::text[]);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- ReplaceValues
PREPARE recorded (text[], text[], bytea[], bytea[]) AS
WITH resealed AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[])
        AS resealed (bank_id, row_id, old_value, new_value)
), free AS (
    SELECT resealed.* FROM cardholder JOIN resealed
        ON (cardholder.bank_id, cardholder.unique_id) = (resealed.bank_id, resealed.row_id)
    WHERE cardholder.sealed_free_field = resealed.old_value
    FOR UPDATE OF cardholder SKIP LOCKED
)
UPDATE cardholder SET sealed_free_field = free.new_value FROM free
WHERE (cardholder.bank_id, cardholder.unique_id) = (free.bank_id, free.row_id)
    AND cardholder.sealed_free_field = free.old_value;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- ReplaceValues
PREPARE recorded (text[], text[], bytea[], bytea[]) AS
WITH resealed AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[])
        AS resealed (bank_id, row_id, old_value, new_value)
), free AS (
    SELECT resealed.* FROM cardholder JOIN resealed
        ON (cardholder.bank_id, cardholder.unique_id) = (resealed.bank_id, resealed.row_id)
    WHERE cardholder.sealed_pin = resealed.old_value
    FOR UPDATE OF cardholder SKIP LOCKED
)
UPDATE cardholder SET sealed_pin = free.new_value FROM free
WHERE (cardholder.bank_id, cardholder.unique_id) = (free.bank_id, free.row_id)
    AND cardholder.sealed_pin = free.old_value;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- ReplaceValues
PREPARE recorded (text[], text[], bytea[], bytea[]) AS
WITH resealed AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[])
        AS resealed (bank_id, row_id, old_value, new_value)
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

-- ReplaceValues
PREPARE recorded (text[], text[], bytea[], bytea[]) AS
WITH resealed AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[])
        AS resealed (bank_id, row_id, old_value, new_value)
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

-- ReplaceValues
PREPARE recorded (text[], text[], bytea[], bytea[]) AS
WITH resealed AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[])
        AS resealed (bank_id, row_id, old_value, new_value)
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

-- ReportExpiringCertificates
PREPARE recorded (timestamptz, integer) AS
WITH due AS (
    SELECT bank_id, alias, purpose, not_after, days FROM (
        SELECT *, CASE
            WHEN not_after <= $1 + interval '1 day' THEN 1
            WHEN not_after <= $1 + interval '7 days' THEN 7
            ELSE 30
        END AS days
        FROM certificate
        WHERE status = 'ACTIVE' AND not_after > $1 AND not_after <= $1 + interval '30 days'
    ) AS expiring
    WHERE noticed_days IS NULL OR days < noticed_days
    LIMIT $2 FOR UPDATE SKIP LOCKED
), noticed AS (
    UPDATE certificate SET noticed_days = due.days FROM due
    WHERE (certificate.bank_id, certificate.alias) = (due.bank_id, due.alias)
        AND (noticed_days IS NULL OR due.days < noticed_days)
    RETURNING due.*
)
INSERT INTO event (bank_id, type, data, occurred_at)
SELECT bank_id, 'certificate.expiring', jsonb_build_object(
    'alias', alias, 'use', purpose, 'notAfter', floor(extract(epoch FROM not_after))::bigint, 'days', days), $1
FROM noticed;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- ReportExpiringLists
PREPARE recorded (timestamptz, integer) AS
WITH due AS (
    SELECT bank_id, issuer, next_update, days FROM (
        SELECT *, CASE
            WHEN next_update <= $1 THEN 0
            WHEN next_update <= $1 + interval '1 day' THEN 1
            ELSE 2
        END AS days
        FROM revocation_list WHERE next_update <= $1 + interval '2 days'
    ) AS expiring
    WHERE noticed_days IS NULL OR days < noticed_days
    LIMIT $2 FOR UPDATE SKIP LOCKED
), noticed AS (
    UPDATE revocation_list AS list SET noticed_days = due.days FROM due
    WHERE (list.bank_id, list.issuer) = (due.bank_id, due.issuer)
        AND (list.noticed_days IS NULL OR due.days < list.noticed_days)
    RETURNING due.*
)
INSERT INTO event (bank_id, type, data, occurred_at)
SELECT bank_id, 'revocation-list.expiring', jsonb_build_object(
    'issuer', issuer, 'nextUpdate', floor(extract(epoch FROM next_update))::bigint, 'days', days), $1
FROM noticed;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- ResendDeliveries
PREPARE recorded (text, text, timestamptz) AS
UPDATE webhook_delivery AS delivery SET
    status = 'PENDING', attempts = 0, pending_since = $3, next_attempt_at = $3, leased_until = NULL
FROM event
WHERE delivery.bank_id = $1 AND (event.bank_id, event.event_id) = (delivery.bank_id, delivery.event_id)
    AND public_id = coalesce($2, public_id) AND ($2 IS NOT NULL OR delivery.status = 'PARKED');
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- RestartResealing
PREPARE recorded AS
UPDATE resealing SET after_bank_id = '', after_row_id = '', is_finished = false
WHERE sealed_column = $1 AND is_finished;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- RetireServerKey
PREPARE recorded (text, boolean, timestamptz) AS
UPDATE server_key SET
    status = 'RETIRED', retired_at = coalesce(retired_at, $3),
    sealed_key = CASE WHEN kind <> 'SIGNING' AND NOT $2 THEN sealed_key END
WHERE key_id = $1 AND (status = 'RETIRING' OR (status = 'RETIRED' AND $2 AND sealed_key IS NOT NULL));
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- SaveResealing
PREPARE recorded (text, integer, text, text, boolean, timestamptz) AS
UPDATE resealing SET after_bank_id = $3, after_row_id = $4, is_finished = $5, leased_until = $6
WHERE sealed_column = $1 AND data_key_id = $2;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- SearchCardholders
PREPARE recorded (text, text, text, text, boolean, integer) AS
SELECT unique_id, holder.status, channels, holder.definition, code_mac IS NOT NULL, authentication_failures,
    sealed_pin IS NOT NULL, pin_version, pin_expires_at, delivered_at, unconfirmed_fetches,
    cardholder_locks(p_holder => holder, p_bank => bank), sealed_free_field IS NOT NULL, version,
    holder.created_at, updated_at, accessibility
FROM cardholder AS holder JOIN bank USING (bank_id)
WHERE bank_id = $1 AND unique_id > $2::identifier AND unique_id >= $3::identifier
    AND unique_id < ($3 || chr(1114111))::identifier AND starts_with(unique_id, $3)
    AND ($4::text IS NULL OR holder.status = $4)
    AND (NOT $5 OR cardholder_locks(p_holder => holder, p_bank => bank) <> '{}')
ORDER BY unique_id LIMIT $6;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectApprovalIds
PREPARE recorded (bytea[]) AS
SELECT object_digest, approval_id FROM approved_object WHERE object_digest = ANY ($1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectApprovals
PREPARE recorded (text[]) AS
SELECT id, statement, first_operator, first_signature, second_operator, second_signature
FROM approval WHERE id = ANY ($1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectAuditEntries
PREPARE recorded (integer, bigint, integer) AS
SELECT chain_id, sequence, occurred_at, operation, outcome, bank_id, subject, actor, detail, hash FROM audit_entry WHERE (chain_id, sequence) > ($1, $2) ORDER BY chain_id, sequence LIMIT $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectAuditHeads
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

-- SelectAuditSeals
PREPARE recorded (bigint, integer) AS
SELECT number, epoch, kind, sealed_at, note, heads, previous_hash, hash, key_id, signature, closed_number, closed_hash FROM audit_seal WHERE number > $1 ORDER BY number LIMIT $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- SelectBacklog
PREPARE recorded (text) AS
SELECT count(*) FILTER (WHERE status = 'PENDING'), min(pending_since) FILTER (WHERE status = 'PENDING'),
    min(next_attempt_at) FILTER (WHERE status = 'PENDING'),
    (
        SELECT last_error FROM webhook_delivery
        WHERE bank_id = $1 AND status = 'PENDING' AND last_error IS NOT NULL ORDER BY event_id LIMIT 1
    ),
    count(*) FILTER (WHERE status = 'PARKED')
FROM webhook_delivery WHERE bank_id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectBacklogs
PREPARE recorded AS
SELECT bank_id, sum(pending)::bigint, min(oldest), sum(parked)::bigint FROM (
    SELECT bank_id, count(*) AS pending, min(pending_since) AS oldest, 0 AS parked
    FROM webhook_delivery WHERE status = 'PENDING' GROUP BY bank_id
    UNION ALL
    SELECT bank_id, 0, NULL, count(*) FROM webhook_delivery WHERE status = 'PARKED' GROUP BY bank_id
) AS parts GROUP BY bank_id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectBank
PREPARE recorded (text) AS
SELECT bank_id, status, revision, created_at, approved_settings, name, programme, scheme, timestamp_tolerance_seconds, session_lifetime_seconds, retention, reminders,
undelivered_lifetime_days, retry_limit, fetch_limit, pin_minimum_length, pin_maximum_length, code_alphabet,
code_minimum_length, code_maximum_length, delivery_format, uniform_errors, sealed_values, check_unique_ids, definition,
definitions_per_day, definition_resets_delivery, weak_pin_rules, listed_pins, defined_pins, image_style, hints, text_pins,
defined_pin_key, pin_blocks FROM bank WHERE bank_id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectBankKey
PREPARE recorded (text, text) AS
SELECT label, usage, algorithm, direction, sealed_key, bank_key.status FROM bank_key WHERE bank_id = $1 AND label = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- SelectBankKeys
PREPARE recorded (text) AS
SELECT label, usage, algorithm, direction, sealed_key, bank_key.status FROM bank_key WHERE bank_id = $1 ORDER BY label;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectBankRevision
PREPARE recorded (text) AS
SELECT revision FROM bank WHERE bank_id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectBanks
PREPARE recorded AS
SELECT bank_id, status, revision, created_at, approved_settings, name, programme, scheme, timestamp_tolerance_seconds, session_lifetime_seconds, retention, reminders,
undelivered_lifetime_days, retry_limit, fetch_limit, pin_minimum_length, pin_maximum_length, code_alphabet,
code_minimum_length, code_maximum_length, delivery_format, uniform_errors, sealed_values, check_unique_ids, definition,
definitions_per_day, definition_resets_delivery, weak_pin_rules, listed_pins, defined_pins, image_style, hints, text_pins,
defined_pin_key, pin_blocks FROM bank ORDER BY bank_id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectCardholder
PREPARE recorded (text, text) AS
SELECT unique_id, holder.status, channels, holder.definition, code_mac IS NOT NULL, authentication_failures,
    sealed_pin IS NOT NULL, pin_version, pin_expires_at, delivered_at, unconfirmed_fetches,
    cardholder_locks(p_holder => holder, p_bank => bank), sealed_free_field IS NOT NULL, version,
    holder.created_at, updated_at, accessibility
FROM cardholder AS holder JOIN bank USING (bank_id) WHERE bank_id = $1 AND unique_id = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- SelectCardholderExists
PREPARE recorded (text, bigint, text) AS
SELECT EXISTS (SELECT FROM cardholder WHERE bank_id = $1 AND unique_id = $3)
FROM bank WHERE bank_id = $1 AND revision = $2 AND status = 'ACTIVE';
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectCardholders
PREPARE recorded (text, text, integer) AS
SELECT unique_id, holder.status, channels, holder.definition, code_mac IS NOT NULL, authentication_failures,
    sealed_pin IS NOT NULL, pin_version, pin_expires_at, delivered_at, unconfirmed_fetches,
    cardholder_locks(p_holder => holder, p_bank => bank), sealed_free_field IS NOT NULL, version,
    holder.created_at, updated_at, accessibility
FROM cardholder AS holder JOIN bank USING (bank_id) WHERE bank_id = $1 AND unique_id > $2::identifier ORDER BY unique_id LIMIT $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectCertificateExpiries
PREPARE recorded (timestamptz) AS
SELECT bank_id, purpose, coalesce(min(not_after) FILTER (WHERE not_after > $1), max(not_after))
FROM certificate JOIN bank USING (bank_id)
WHERE certificate.status = 'ACTIVE' AND bank.status = 'ACTIVE'
GROUP BY bank_id, purpose;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectCertificates
PREPARE recorded (text) AS
SELECT alias, der, fingerprint, subject, not_before, not_after, is_default, status, created_at, purpose,
    issuer, serial, next_update,
    EXISTS (
        SELECT FROM revoked_certificate AS revoked
        WHERE revoked.bank_id = $1 AND (revoked.issuer, revoked.serial) = (certificate.issuer, certificate.serial)
    )
FROM certificate LEFT JOIN revocation_list USING (bank_id, issuer) WHERE bank_id = $1 ORDER BY alias;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectClock
PREPARE recorded AS
SELECT clock_timestamp();
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectComponents
PREPARE recorded (text, text) AS
SELECT number, sealed_component FROM key_component WHERE bank_id = $1 AND label = $2 ORDER BY number;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- SelectDataKeyUses
PREPARE recorded AS
SELECT DISTINCT ON (purpose) purpose, uses FROM data_key ORDER BY purpose, id DESC;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectDataKeys
PREPARE recorded AS
SELECT id, purpose, replaces, state, active_from, uses, created_at
FROM data_key ORDER BY id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectDatabaseFacts
PREPARE recorded AS
SELECT current_setting('server_version_num')::integer, split_part(current_setting('server_version'), ' ', 1),
    current_setting('fsync')::boolean, current_setting('full_page_writes')::boolean,
    current_setting('synchronous_commit'), current_setting('data_checksums')::boolean, pg_is_in_recovery(),
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user), current_setting('max_connections')::integer,
    coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false), host(inet_server_addr());
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectDefinedPINKey
PREPARE recorded (text) AS
SELECT label, usage, algorithm, direction, sealed_key, bank_key.status FROM bank_key JOIN bank USING (bank_id)
WHERE bank_id = $1 AND label = defined_pin_key;
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

-- SelectEndingRevocationLists
PREPARE recorded (timestamptz) AS
SELECT issuer, this_update, next_update, imported_at, bank_id FROM revocation_list WHERE next_update <= $1
ORDER BY bank_id, issuer;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectEvent
PREPARE recorded (text, bigint) AS
SELECT public_id, position, unique_id, type, event_data(p_event => event), occurred_at
FROM event WHERE bank_id = $1 AND event_id = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- SelectFilteredAuditEntries
PREPARE recorded (timestamptz, timestamptz, text, text, bytea[], integer) AS
SELECT chain_id, sequence, occurred_at, operation, outcome, bank_id, subject, actor, detail, hash FROM audit_entry
WHERE ($1::timestamptz IS NULL OR occurred_at >= $1) AND ($2::timestamptz IS NULL OR occurred_at < $2)
    AND ($3::text IS NULL OR bank_id = $3) AND ($4::text IS NULL OR operation = $4)
    AND ($5::bytea[] IS NULL OR subject = ANY ($5))
ORDER BY occurred_at DESC, chain_id, sequence DESC LIMIT $6;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectFunctions
PREPARE recorded AS
SELECT name, digest FROM schema_function ORDER BY name;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectGrownAuditHeads
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

-- SelectHMACKeys
PREPARE recorded (text) AS
SELECT label, kcv, usage, sealed_key, status, created_at FROM hmac_key
WHERE bank_id = $1 ORDER BY created_at DESC, label;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectHasApprovals
PREPARE recorded AS
SELECT EXISTS (SELECT FROM approval);
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectIdempotentAnswer
PREPARE recorded (text, text, timestamptz) AS
SELECT request_mac, outcome, version, pin FROM idempotent_answer
WHERE bank_id = $1 AND idempotency_key = $2 AND expires_at > $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectIdentity
PREPARE recorded (bytea[]) AS
SELECT label FROM key_identity WHERE key_mac = ANY ($1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectIssuerBank
PREPARE recorded (text, timestamptz) AS
SELECT bank_id, status, pin_minimum_length, pin_maximum_length, code_alphabet, code_minimum_length, code_maximum_length,
sealed_values, check_unique_ids, pin_blocks,
ARRAY(
    SELECT fingerprint FROM certificate LEFT JOIN revocation_list AS list USING (bank_id, issuer)
    WHERE bank_id = bank.bank_id AND purpose = 'client' AND status = 'ACTIVE'
        AND (list.next_update IS NULL OR list.next_update > $2 AND NOT EXISTS (
            SELECT FROM revoked_certificate AS revoked
            WHERE (revoked.bank_id, revoked.issuer, revoked.serial)
                = (certificate.bank_id, certificate.issuer, certificate.serial)))
), revision FROM bank WHERE bank_id = $1;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- SelectIssuerKeys
PREPARE recorded (text[]) AS
SELECT key_id, bank_id, algorithm, public_key, sealed_secret, status, created_at FROM issuer_key JOIN issuer_key_owner USING (bank_id, key_id)
WHERE key_id = ANY ($1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectIssuerKeysOfBank
PREPARE recorded (text) AS
SELECT key_id, bank_id, algorithm, public_key, sealed_secret, status, created_at FROM issuer_key WHERE bank_id = $1 ORDER BY key_id;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectKeyImport
PREPARE recorded (text, text, timestamptz) AS
SELECT label, usage, algorithm, direction, component_count, begun_by, expires_at FROM key_import WHERE bank_id = $1 AND label = $2 AND expires_at > $3;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectLabel
PREPARE recorded (text, text) AS
SELECT label FROM key_identity WHERE bank_id = $1 AND label = $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- SelectLastPosition
PREPARE recorded AS
SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM event_position;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectLastSealTime
PREPARE recorded AS
SELECT sealed_at FROM audit_seal ORDER BY number DESC LIMIT 1;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectListExpiries
PREPARE recorded AS
SELECT bank_id, min(next_update) FROM revocation_list JOIN bank USING (bank_id)
WHERE bank.status = 'ACTIVE' GROUP BY bank_id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectListedKeys
PREPARE recorded (text) AS
SELECT label, kcv, usage, 'hmac', NULL, status, created_at FROM hmac_key WHERE bank_id = $1
UNION ALL
SELECT label, kcv, usage, algorithm, direction, status, created_at FROM bank_key WHERE bank_id = $1
ORDER BY created_at DESC, label;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectLostPosition
PREPARE recorded (text) AS
SELECT lost FROM event_feed WHERE bank_id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectMasterKeys
PREPARE recorded AS
SELECT id, kind, name, sealed_public_key, status, created_at FROM master_key ORDER BY created_at, id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectMigrations
PREPARE recorded AS
SELECT name, digest FROM schema_migration ORDER BY name;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectNewestAuditClosing
PREPARE recorded AS
SELECT number, epoch, kind, sealed_at, note, heads, previous_hash, hash, key_id, signature, closed_number, closed_hash FROM audit_seal WHERE kind = 'closing' ORDER BY closed_number DESC, number DESC LIMIT 1;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectNewestAuditSeal
PREPARE recorded AS
SELECT number, epoch, kind, sealed_at, note, heads, previous_hash, hash, key_id, signature, closed_number, closed_hash FROM audit_seal ORDER BY number DESC LIMIT 1;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectNewestEvents
PREPARE recorded (text, text, text, integer) AS
SELECT public_id, position, event.unique_id, type, occurred_at, acknowledged, webhook_delivery.status
FROM event LEFT JOIN webhook_delivery USING (bank_id, event_id)
WHERE bank_id = $1 AND ($2::text IS NULL OR event.unique_id = $2) AND ($3::text IS NULL OR type = $3)
ORDER BY event_id DESC LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectNothing
PREPARE recorded AS
SELECT;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectOutdatedIdentities
PREPARE recorded (integer, integer) AS
SELECT bank_id, label, coalesce(bank_key.algorithm, 'hmac'), coalesce(bank_key.sealed_key, hmac_key.sealed_key),
    key_mac
FROM key_identity LEFT JOIN hmac_key USING (bank_id, label) LEFT JOIN bank_key USING (bank_id, label)
WHERE substring(key_mac FOR 4) <> int4send($1) LIMIT $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- SelectOwnsSchema
PREPARE recorded AS
SELECT pg_has_role(current_user, nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'card_companion';
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectParked
PREPARE recorded (text, integer) AS
SELECT public_id, nullif(delivery.unique_id, ''), attempts, last_error
FROM webhook_delivery AS delivery JOIN event USING (bank_id, event_id)
WHERE bank_id = $1 AND status = 'PARKED' ORDER BY event_id LIMIT $2;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- SelectPendingKeys
PREPARE recorded (text, timestamptz) AS
SELECT label, usage, algorithm, direction, component_count, begun_by, expires_at, (
    SELECT count(*) FROM key_component
    WHERE key_component.bank_id = key_import.bank_id AND key_component.label = key_import.label
)
FROM key_import WHERE bank_id = $1 AND expires_at > $2 ORDER BY label;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- SelectProposedChanges
PREPARE recorded (timestamptz) AS
SELECT id, action, change, statement, operator_name, signature, expires_at FROM proposed_change
WHERE expires_at >= $1 ORDER BY expires_at, id;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectRecentAuditHeads
PREPARE recorded (timestamptz) AS
SELECT newest.chain_id, newest.sequence, newest.hash
FROM (SELECT DISTINCT chain_id FROM audit_entry WHERE occurred_at >= $1) AS chain CROSS JOIN LATERAL (
    SELECT * FROM audit_entry WHERE audit_entry.chain_id = chain.chain_id ORDER BY sequence DESC LIMIT 1
) AS newest LEFT JOIN audit_head ON audit_head.chain_id = newest.chain_id
WHERE newest.sequence > coalesce(audit_head.sequence, 0) ORDER BY newest.chain_id;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectResealing
PREPARE recorded AS
SELECT sealed_column, data_key_id, after_bank_id, after_row_id, is_finished FROM resealing
ORDER BY sealed_column;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectRevocation
PREPARE recorded (text, text, bytea) AS
SELECT
    (SELECT next_update FROM revocation_list WHERE bank_id = $1 AND issuer = $2),
    EXISTS (SELECT FROM revoked_certificate WHERE bank_id = $1 AND issuer = $2 AND serial = $3);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectRevocationLists
PREPARE recorded (text) AS
SELECT issuer, this_update, next_update, imported_at FROM revocation_list WHERE bank_id = $1 ORDER BY issuer;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectRoleExists
PREPARE recorded (text) AS
SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectSchemaExistence
PREPARE recorded AS
WITH found AS (
    SELECT nspname || '.' || relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
)
SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'card_companion'),
    coalesce((SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = 'card_companion'), true),
    EXISTS (SELECT FROM found WHERE name = 'card_companion.schema_state'),
    EXISTS (SELECT FROM found WHERE name = 'public.schema_migration')
        AND EXISTS (SELECT FROM found WHERE name = 'public.cardholder');
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectSchemaState
PREPARE recorded AS
SELECT schema_version, oldest_program, grants_digest FROM schema_state;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectSchemaVersion
PREPARE recorded AS
SELECT schema_version FROM schema_state;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectSealKeys
PREPARE recorded AS
SELECT key_id, sealed_public_key FROM seal_key ORDER BY created_at, key_id;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectServerKey
PREPARE recorded (text) AS
SELECT key_id, kind, status, sealed_key, created_at, demoted_at, retired_at FROM server_key WHERE key_id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectServerKeys
PREPARE recorded AS
SELECT key_id, kind, status, sealed_key, created_at, demoted_at, retired_at FROM server_key ORDER BY kind, status, created_at DESC;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SelectServerVaults
PREPARE recorded (timestamptz) AS
SELECT server_id, master_key_id, seen_at FROM server_vault WHERE seen_at >= $1 ORDER BY server_id;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectValues
PREPARE recorded (text, text, integer, integer) AS
SELECT ''::text, master_key.id,
    CASE WHEN substring(sealed_public_key FOR 4) <> int4send($3) THEN sealed_public_key END
FROM master_key WHERE (''::text, master_key.id) > ($1, $2) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectValues
PREPARE recorded (text, text, integer, integer) AS
SELECT ''::text, seal_key.key_id,
    CASE WHEN substring(sealed_public_key FOR 4) <> int4send($3) THEN sealed_public_key END
FROM seal_key WHERE (''::text, seal_key.key_id) > ($1, $2) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectValues
PREPARE recorded (text, text, integer, integer) AS
SELECT ''::text, server_key.key_id,
    CASE WHEN substring(sealed_key FOR 4) <> int4send($3) THEN sealed_key END
FROM server_key WHERE (''::text, server_key.key_id) > ($1, $2) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectValues
PREPARE recorded (text, text, integer, integer) AS
SELECT bank_key.bank_id, bank_key.label,
    CASE WHEN substring(sealed_key FOR 4) <> int4send($3) THEN sealed_key END
FROM bank_key WHERE (bank_key.bank_id, bank_key.label) > ($1, $2) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectValues
PREPARE recorded (text, text, integer, integer) AS
SELECT cardholder.bank_id, cardholder.unique_id,
    CASE WHEN substring(sealed_free_field FOR 4) <> int4send($3) THEN sealed_free_field END
FROM cardholder WHERE (cardholder.bank_id, cardholder.unique_id) > ($1, $2) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectValues
PREPARE recorded (text, text, integer, integer) AS
SELECT cardholder.bank_id, cardholder.unique_id,
    CASE WHEN substring(sealed_pin FOR 4) <> int4send($3) THEN sealed_pin END
FROM cardholder WHERE (cardholder.bank_id, cardholder.unique_id) > ($1, $2) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectValues
PREPARE recorded (text, text, integer, integer) AS
SELECT hmac_key.bank_id, hmac_key.label,
    CASE WHEN substring(sealed_key FOR 4) <> int4send($3) THEN sealed_key END
FROM hmac_key WHERE (hmac_key.bank_id, hmac_key.label) > ($1, $2) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectValues
PREPARE recorded (text, text, integer, integer) AS
SELECT issuer_key.bank_id, issuer_key.key_id,
    CASE WHEN substring(sealed_secret FOR 4) <> int4send($3) THEN sealed_secret END
FROM issuer_key WHERE (issuer_key.bank_id, issuer_key.key_id) > ($1, $2) ORDER BY 1, 2 LIMIT $4;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- SelectWebhook
PREPARE recorded (text) AS
SELECT bank_id, url, is_private, acknowledges, status FROM webhook WHERE bank_id = $1;
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- SelectWrappings
PREPARE recorded AS
SELECT data_key_id, master_key_id, wrapped_key FROM data_key_wrapping ORDER BY data_key_id, created_at;
EXPLAIN EXECUTE recorded;
DEALLOCATE recorded;

-- SetDataKey
PREPARE recorded (integer, text) AS
UPDATE data_key SET state = $2
WHERE id = $1 AND state <> 'DESTROYED' AND EXISTS (SELECT FROM data_key AS next WHERE next.replaces = $1);
EXPLAIN EXECUTE recorded (NULL, NULL);
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
    p_actor => $8, p_detail => $9)
FROM take_back_fetch(
    p_bank_id => $1, p_unique_id => $2, p_session_id => $3, p_transaction_digest => $4, p_hmac_digest => $5);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- TryMigrationLock
PREPARE recorded (bigint) AS
SELECT pg_try_advisory_lock($1);
EXPLAIN EXECUTE recorded (NULL);
DEALLOCATE recorded;

-- UpdateBank
PREPARE recorded (text, bigint, text, text, text, text, text, integer, integer, text, boolean, integer, integer, integer, integer, integer, text, integer, integer, text, boolean, text, boolean, boolean, integer, boolean, text[], text[], text, text, text[], boolean, text, text[]) AS
UPDATE bank SET status = $3, approved_settings = coalesce($4, approved_settings), (name, programme, scheme, timestamp_tolerance_seconds, session_lifetime_seconds, retention, reminders,
undelivered_lifetime_days, retry_limit, fetch_limit, pin_minimum_length, pin_maximum_length, code_alphabet,
code_minimum_length, code_maximum_length, delivery_format, uniform_errors, sealed_values, check_unique_ids, definition,
definitions_per_day, definition_resets_delivery, weak_pin_rules, listed_pins, defined_pins, image_style, hints, text_pins,
defined_pin_key, pin_blocks) =
    ($5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27,
        $28, $29, $30, $31, $32, $33, $34)
WHERE bank_id = $1 AND revision = $2;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- UpdateCertificate
PREPARE recorded (text, text, text) AS
UPDATE certificate SET status = $3 WHERE bank_id = $1 AND alias = $2;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- UpdateIssuerKey
PREPARE recorded (text, text, text) AS
UPDATE issuer_key SET status = $3 WHERE bank_id = $1 AND key_id = $2;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- UpdateKeyStatus
PREPARE recorded (text, text, text) AS
UPDATE bank_key SET status = $3 WHERE bank_id = $1 AND label = $2;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- UpdateKeyStatus
PREPARE recorded (text, text, text) AS
UPDATE hmac_key SET status = $3 WHERE bank_id = $1 AND label = $2;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- UpdateMAC
PREPARE recorded (bytea, bytea) AS
UPDATE key_identity SET key_mac = $2 WHERE key_mac = $1;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- UpsertApprovedObjects
PREPARE recorded (text, bytea[]) AS
INSERT INTO approved_object (object_digest, approval_id) SELECT DISTINCT digest, $1 FROM unnest($2::bytea[]) AS digest
ON CONFLICT (object_digest) DO UPDATE SET approval_id = excluded.approval_id;
EXPLAIN EXECUTE recorded (NULL, NULL);
DEALLOCATE recorded;

-- UpsertAuditHeads
PREPARE recorded (bigint, bytea, integer[], bigint[], bytea[]) AS
INSERT INTO audit_head (chain_id, sequence, hash)
SELECT new.chain_id, new.sequence, new.hash
FROM unnest($3::integer[], $4::bigint[], $5::bytea[]) AS new (chain_id, sequence, hash)
WHERE EXISTS (SELECT FROM audit_seal WHERE number = $1 AND audit_seal.hash = $2)
ON CONFLICT (chain_id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- UpsertFunction
PREPARE recorded (text, bytea) AS
INSERT INTO schema_function (name, digest) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, applied_at = now();
DEALLOCATE recorded;

-- UpsertSchemaState
PREPARE recorded (integer, integer, bytea) AS
INSERT INTO schema_state (schema_version, oldest_program, grants_digest) VALUES ($1, $2, coalesce($3, ''))
ON CONFLICT (is_only_row) DO UPDATE SET
    schema_version = excluded.schema_version, oldest_program = excluded.oldest_program,
    grants_digest = coalesce($3, schema_state.grants_digest);
DEALLOCATE recorded;

-- UpsertServerVault
PREPARE recorded (text, text, timestamptz) AS
INSERT INTO server_vault (server_id, master_key_id, seen_at) VALUES ($1, $2, $3)
ON CONFLICT (server_id) DO UPDATE SET master_key_id = excluded.master_key_id, seen_at = excluded.seen_at;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL);
DEALLOCATE recorded;

-- UpsertWebhook
PREPARE recorded (text, text, boolean, boolean, text, timestamptz) AS
INSERT INTO webhook (bank_id, url, is_private, acknowledges, status, created_at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (bank_id) DO UPDATE SET
    url = excluded.url, is_private = excluded.is_private, acknowledges = excluded.acknowledges,
    status = excluded.status;
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;

-- WriteCardholder
PREPARE recorded (timestamptz, text, text, text, bigint, boolean, boolean, text, bytea, timestamptz, bytea, text, text) AS
SELECT outcome, version, pin, append_audit(
    p_now => $1, p_operation => 'write-cardholder', p_outcome => outcome, p_bank_id => $2, p_subject => $11,
    p_actor => $12, p_detail => $13)
FROM write_cardholder(
    p_now => $1, p_bank_id => $2, p_unique_id => $3,
    p_change => jsonb_populate_record(NULL::cardholder_change, $4::jsonb),
    p_if_version => $5, p_must_exist => $6, p_must_not_exist => $7, p_call_key => $8, p_call_mac => $9,
    p_call_expires_at => $10);
EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
DEALLOCATE recorded;
