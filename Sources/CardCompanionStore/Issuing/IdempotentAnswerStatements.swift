internal import PostgresLibPQ

/// An answer to a call with an Idempotency-Key.
package struct IdempotentAnswer: Sendable, Equatable {
    package let status: Int
    package let etag: String?
    /// Nil if there is no body.
    package let contentType: String?
    package let body: [UInt8]

    package init(status: Int, etag: String?, contentType: String?, body: [UInt8]) {
        self.status = status
        self.etag = etag
        self.contentType = contentType
        self.body = body
    }
}

/// What the claim of an Idempotency-Key finds.
package enum IdempotencyClaim: Sendable {
    /// This call is the first one. It must be served.
    case first
    /// The same call was answered before.
    case answered(IdempotentAnswer)
    /// The same call is being served.
    case underWay
    /// The key was used for a different call.
    case otherCall
}

extension Store {
    /// Claims an Idempotency-Key for a call.
    ///
    /// - Parameters:
    ///   - mac: a MAC of the call: method, path and body.
    ///   - abandonedBefore: an unanswered call that started before this time is taken over.
    package func claimIdempotency(
        bankId: Identifier, key: String, mac: [UInt8], now: Timestamp, abandonedBefore: Timestamp, expiresAt: Timestamp
    ) async throws(StoreError) -> IdempotencyClaim {
        let claim = ClaimIdempotency(
            bankId: bankId, key: key, mac: mac, now: now, abandonedBefore: abandonedBefore, expiresAt: expiresAt)
        let (claimed, found) = try await statements.batch(claim, SelectIdempotent(bankId: bankId, key: key))
        if claimed == 1 { return .first }
        // It was released at this moment: the client can send the call again.
        guard let row = found.first else { return .underWay }
        guard row.mac == mac else { return .otherCall }
        return row.answer.map { .answered($0) } ?? .underWay
    }

    /// Stores the answer to the call that has claimed the key.
    ///
    /// - Parameter begunAt: the time of the claim. It distinguishes the claim from a later one.
    package func keepAnswer(
        _ answer: IdempotentAnswer, bankId: Identifier, key: String, begunAt: Timestamp
    ) async throws(StoreError) {
        _ = try await statements.execute(KeepAnswer(bankId: bankId, key: key, begunAt: begunAt, answer: answer))
    }

    /// Releases a key whose call could not be served.
    package func releaseIdempotency(bankId: Identifier, key: String, begunAt: Timestamp) async throws(StoreError) {
        _ = try await statements.execute(ReleaseIdempotency(bankId: bankId, key: key, begunAt: begunAt))
    }
}

private struct ClaimIdempotency: PostgresCommand {
    let bankId: Identifier
    let key: String
    let mac: [UInt8]
    let now: Timestamp
    let abandonedBefore: Timestamp
    let expiresAt: Timestamp

    static let sql = """
        INSERT INTO idempotent_answer AS old (bank_id, idempotency_key, request_mac, begun_at, expires_at)
        VALUES ($1, $2, $3, $4, $6)
        ON CONFLICT (bank_id, idempotency_key) DO UPDATE SET
            request_mac = excluded.request_mac, begun_at = excluded.begun_at, expires_at = excluded.expires_at,
            status = NULL, etag = NULL, content_type = NULL, body = NULL
        WHERE old.expires_at <= $4
            OR (old.status IS NULL AND old.begun_at < $5 AND old.request_mac = excluded.request_mac)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, key, mac, now, abandonedBefore, expiresAt)
    }
}

private struct SelectIdempotent: PostgresStatement {
    struct Row: Sendable {
        let mac: [UInt8]
        let answer: IdempotentAnswer?
    }

    let bankId: Identifier
    let key: String

    static let sql = """
        SELECT request_mac, status, etag, content_type, coalesce(body, '') FROM idempotent_answer
        WHERE bank_id = $1 AND idempotency_key = $2
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, key)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Row {
        let mac = try row.decode(0, as: [UInt8].self)
        guard let status = try row.decode(1, as: Int?.self) else { return Row(mac: mac, answer: nil) }
        let answer = IdempotentAnswer(
            status: status, etag: try row.decode(2), contentType: try row.decode(3), body: try row.decode(4))
        return Row(mac: mac, answer: answer)
    }
}

private struct KeepAnswer: PostgresCommand {
    let bankId: Identifier
    let key: String
    let begunAt: Timestamp
    let answer: IdempotentAnswer

    static let sql = """
        UPDATE idempotent_answer SET status = $3, etag = $4, content_type = $5, body = $6
        WHERE bank_id = $1 AND idempotency_key = $2 AND begun_at = $7
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            bankId, key, Int32(clamping: answer.status), answer.etag, answer.contentType, answer.body, begunAt)
    }
}

private struct ReleaseIdempotency: PostgresCommand {
    let bankId: Identifier
    let key: String
    let begunAt: Timestamp

    static let sql = """
        DELETE FROM idempotent_answer
        WHERE bank_id = $1 AND idempotency_key = $2 AND begun_at = $3 AND status IS NULL
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, key, begunAt)
    }
}
