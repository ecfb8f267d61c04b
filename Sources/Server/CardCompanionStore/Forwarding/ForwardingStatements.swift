package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Leases defined PINs that are due to this connector. Nobody else gets them until the lease has ended.
    package func leaseForwardedPINs(
        bankId: Identifier, limit: Int, leaseSeconds: Int
    ) async throws(StoreError) -> [ForwardedPIN] {
        try await statements.execute(
            LeaseForwardedPINs(
                bankId: bankId, limit: Int32(clamping: limit), leaseSeconds: Int32(clamping: leaseSeconds)))
    }

    /// Lets a cardholder's defined PIN be handed out again, whatever was reported.
    ///
    /// - Returns: false if none was queued, the cardholder has another PIN now, or a connector has it at this moment.
    package func forwardAgain(bankId: Identifier, uniqueId: Identifier) async throws(StoreError) -> Bool {
        try await statements.execute(
            """
            UPDATE forwarded_pin AS forwarded SET next_attempt_at = now()
            FROM chosen_pin AS chosen JOIN cardholder AS holder USING (bank_id, unique_id)
            WHERE forwarded.bank_id = \(bankId) AND forwarded.unique_id = \(uniqueId)
                AND (chosen.bank_id, chosen.unique_id, chosen.event_id)
                    = (forwarded.bank_id, forwarded.unique_id, forwarded.event_id)
                AND chosen.pin_serial = holder.pin_serial
                AND (leased_until IS NULL OR leased_until <= now())
            """) == 1
    }

    /// Whether a connector has a PIN of the cardholder at this moment.
    package func isForwarding(bankId: Identifier, uniqueId: Identifier) async throws(StoreError) -> Bool {
        try await statements.row(
            """
            SELECT EXISTS (
                SELECT FROM forwarded_pin
                WHERE bank_id = \(bankId) AND unique_id = \(uniqueId) AND leased_until > now())
            """)
    }

    /// Stores what the bank's program has said.
    package func reportForwardedPIN(
        _ report: ForwardedPINReport, bankId: Identifier
    ) async throws(StoreError) -> ForwardedPINOutcome {
        try await statements.executeForOneRow(ReportForwardedPIN(bankId: bankId, report: report))
    }
}

private struct LeaseForwardedPINs: PostgresStatement {
    let bankId: Identifier
    let limit: Int32
    let leaseSeconds: Int32

    static let sql = """
        SELECT r_unique_id, r_event_id, r_defined_at, r_state, r_attempt
        FROM lease_forwarded_pins(p_bank_id => $1, p_limit => $2, p_lease_seconds => $3)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, limit, leaseSeconds)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> ForwardedPIN {
        ForwardedPIN(
            uniqueId: try row.next(), event: try row.next(), definedAt: try row.next(), stage: try row.next(),
            attempt: Int(try row.next(as: Int32.self)))
    }
}

private struct ReportForwardedPIN: PostgresStatement {
    let bankId: Identifier
    let report: ForwardedPINReport

    static let sql = """
        SELECT report_forwarded_pin(
            p_bank_id => $1, p_unique_id => $2, p_event_id => $3, p_state => $4, p_reason => $5, p_after_seconds => $6)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            bankId, report.uniqueId, report.event, report.stage, report.reason,
            report.afterSeconds.map { Int32(clamping: $0) })
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> ForwardedPINOutcome {
        switch try row.next(as: String.self) {
        case "reported": return .reported
        case "unchanged": return .unchanged
        case "no-cardholder", "other-pin": return .otherPIN
        default: throw PostgresError(.decoding, "unknown outcome of a connector's report")
        }
    }
}
