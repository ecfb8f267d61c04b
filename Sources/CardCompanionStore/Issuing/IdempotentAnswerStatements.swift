public import PostgresLibPQ

/// An answer to a call with an Idempotency-Key.
public struct IdempotentAnswer: Sendable, Equatable {
    /// HTTP status.
    public let status: Int
    /// ETag; nil where there is none.
    public let etag: String?
    /// Content-Type; nil where there is no body.
    public let contentType: String?
    /// The body.
    public let body: [UInt8]

    /// See the members.
    public init(status: Int, etag: String?, contentType: String?, body: [UInt8]) {
        self.status = status
        self.etag = etag
        self.contentType = contentType
        self.body = body
    }
}

/// What a call with an Idempotency-Key finds.
public enum IdempotencyClaim: Sendable {
    /// It is the first: it is to be served.
    case first
    /// The same call was answered.
    case answered(IdempotentAnswer)
    /// The same call is being served.
    case underWay
    /// The key was used for another call.
    case otherCall
}

extension Store {
    /// Claims an Idempotency-Key for a call.
    ///
    /// - Parameters:
    ///   - mac: a MAC of the call: method, path and body.
    ///   - abandonedBefore: a call that was begun before this and never answered is taken over.
    public func claimIdempotency(
        bankId: String, key: String, mac: [UInt8], now: Timestamp, abandonedBefore: Timestamp, expiresAt: Timestamp
    ) async throws(PostgresError) -> IdempotencyClaim {
        let claim = ClaimIdempotency(
            bankId: bankId, key: key, mac: mac, now: now, abandonedBefore: abandonedBefore, expiresAt: expiresAt)
        let (claimed, found) = try await client.batch(claim, SelectIdempotent(bankId: bankId, key: key))
        if !claimed.isEmpty { return .first }
        // It was let go of in this moment: its call may be made once more.
        guard let row = found.first else { return .underWay }
        guard row.mac == mac else { return .otherCall }
        return row.answer.map { .answered($0) } ?? .underWay
    }

    /// Keeps the answer to the call that has claimed the key.
    ///
    /// - Parameter begunAt: the time of the claim; by that it is told from a later one.
    public func keepAnswer(
        _ answer: IdempotentAnswer, bankId: String, key: String, begunAt: Timestamp
    ) async throws(PostgresError) {
        _ = try await client.execute(KeepAnswer(bankId: bankId, key: key, begunAt: begunAt, answer: answer))
    }

    /// Lets go of a key whose call could not be served.
    public func releaseIdempotency(bankId: String, key: String, begunAt: Timestamp) async throws(PostgresError) {
        _ = try await client.execute(ReleaseIdempotency(bankId: bankId, key: key, begunAt: begunAt))
    }
}

private struct ClaimIdempotency: PostgresStatement {
    typealias Row = String

    let bankId: String
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
        RETURNING idempotency_key
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(key)
        parameters.append(mac)
        parameters.append(now)
        parameters.append(abandonedBefore)
        parameters.append(expiresAt)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> String {
        try row.decode(0, as: String.self)
    }
}

private struct SelectIdempotent: PostgresStatement {
    struct Row: Sendable {
        let mac: [UInt8]
        let answer: IdempotentAnswer?
    }

    let bankId: String
    let key: String

    static let sql = """
        SELECT request_mac, status, etag, content_type, coalesce(body, '') FROM idempotent_answer
        WHERE bank_id = $1 AND idempotency_key = $2
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(key)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Row {
        let mac = try row.decode(0, as: [UInt8].self)
        guard let status = try row.decode(1, as: Int32?.self) else { return Row(mac: mac, answer: nil) }
        let answer = IdempotentAnswer(
            status: Int(status), etag: try row.decode(2, as: String?.self),
            contentType: try row.decode(3, as: String?.self), body: try row.decode(4, as: [UInt8].self))
        return Row(mac: mac, answer: answer)
    }
}

private struct KeepAnswer: PostgresStatement {
    let bankId: String
    let key: String
    let begunAt: Timestamp
    let answer: IdempotentAnswer

    static let sql = """
        UPDATE idempotent_answer SET status = $3, etag = $4, content_type = $5, body = $6
        WHERE bank_id = $1 AND idempotency_key = $2 AND begun_at = $7
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(key)
        parameters.append(Int32(clamping: answer.status))
        parameters.append(answer.etag)
        parameters.append(answer.contentType)
        parameters.append(answer.body)
        parameters.append(begunAt)
    }
}

private struct ReleaseIdempotency: PostgresStatement {
    let bankId: String
    let key: String
    let begunAt: Timestamp

    static let sql = """
        DELETE FROM idempotent_answer
        WHERE bank_id = $1 AND idempotency_key = $2 AND begun_at = $3 AND status IS NULL
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(key)
        parameters.append(begunAt)
    }
}
