public import PostgresLibPQ

/// The channels on which a PIN is delivered.
public enum Channel: String, StoredEnumeration, CaseIterable {
    /// By authentication code and HMAC.
    case ac = "AC"
    /// By signed token.
    case token = "TOKEN"
}

/// A fetch whose caller has been authenticated.
public struct FetchedPINRequest: Sendable {
    /// What authenticated the caller.
    public enum Proof: Sendable {
        /// An HMAC: SHA-256 of it, and when its timestamp leaves the window.
        case hmac(digest: [UInt8], expiresAt: Timestamp)
        /// A token: whether it is for a reminder, its IdTransaction, and its MAC for the session.
        case token(isReminder: Bool, idTransaction: String, mac: [UInt8])
    }

    /// The authentication code that came with the request.
    public enum Code: Sendable {
        /// None is asked for.
        case notAsked
        /// It has not the bank's form.
        case withoutForm
        /// Its MAC under each key that may have been used.
        case macs([[UInt8]])
    }

    /// The bank.
    public var bankId: String
    /// The revision of the bank that the caller was authenticated with.
    public var bankRevision: Int64
    /// The cardholder.
    public var uniqueId: String
    /// What authenticated the caller.
    public var proof: Proof
    /// The authentication code.
    public var code: Code
    /// The name of the session to open.
    public var sessionId: String
    /// For notify status 0, 1 and 2: SHA-256 of the hash that will be right.
    public var confirmations: [[UInt8]]

    /// See the members.
    public init(
        bankId: String, bankRevision: Int64, uniqueId: String, proof: Proof, code: Code, sessionId: String,
        confirmations: [[UInt8]]
    ) {
        self.bankId = bankId
        self.bankRevision = bankRevision
        self.uniqueId = uniqueId
        self.proof = proof
        self.code = code
        self.sessionId = sessionId
        self.confirmations = confirmations
    }
}

/// Why a fetch is refused, in the order in which it is decided.
public enum FetchRefusal: String, StoredEnumeration, CaseIterable {
    case transactionSpent = "transaction-spent"
    case noCardholder = "no-cardholder"
    case cardholderOfAnotherBank = "cardholder-of-another-bank"
    case wrongChannel = "wrong-channel"
    case statusNotSatisfied = "status-not-satisfied"
    case limitReached = "limit-reached"
    case codeWithoutForm = "code-without-form"
    case wrongCode = "wrong-code"
    case hmacSpent = "hmac-spent"
    case noPIN = "no-pin"
}

/// How a fetch went.
public enum FetchOutcome: Sendable {
    /// The bank has changed since the caller was authenticated; nothing was written.
    case stale
    case refused(FetchRefusal)
    /// The session is open. What is secret is sealed.
    case delivered(sealedPIN: [UInt8], sealedFreeField: [UInt8]?)
}

/// How a notify went.
public enum NotifyOutcome: String, StoredEnumeration {
    /// The bank has changed since it was read; nothing was written.
    case stale
    /// No session of that name waits for this status, or has had it.
    case noSession = "no-session"
    /// The hash is not that of the delivery.
    case wrongHash = "wrong-hash"
    /// The session is decided so.
    case confirmed
}

extension Store {
    /// Does all of a fetch that must be atomic: spends its id, counts and judges the code, opens the session.
    public func fetchPIN(
        _ request: FetchedPINRequest, now: Timestamp
    ) async throws(PostgresError) -> FetchOutcome {
        try await client.executeForOneRow(FetchPIN(request: request, now: now))
    }

    /// Takes a fetch back whose PIN could not be sent.
    ///
    /// - Parameter idTransaction: the token's id where it shall serve again; nil leaves it spent.
    public func takeBack(
        _ request: FetchedPINRequest, idTransaction: String?
    ) async throws(PostgresError) {
        _ = try await client.execute(TakeBackFetch(request: request, idTransaction: idTransaction))
    }

    /// Does all of a notify.
    ///
    /// - Parameters:
    ///   - tokenMACs: on the token channel, the resent token's MAC under each key that may have been used.
    ///   - confirmation: SHA-256 of the hash that was sent.
    public func notifyDelivery(
        bankId: String, bankRevision: Int64, uniqueId: String, sessionId: String, channel: Channel,
        tokenMACs: [[UInt8]], status: Int, confirmation: [UInt8], now: Timestamp
    ) async throws(PostgresError) -> NotifyOutcome {
        let statement = NotifyDelivery(
            bankId: bankId, bankRevision: bankRevision, uniqueId: uniqueId, sessionId: sessionId, channel: channel,
            tokenMACs: tokenMACs, status: Int32(clamping: status), confirmation: confirmation, now: now)
        return try await client.executeForOneRow(statement)
    }
}

private struct FetchPIN: PostgresStatement {
    let request: FetchedPINRequest
    let now: Timestamp

    static let sql = """
        SELECT outcome, sealed_pin, sealed_free_field
        FROM fetch_pin($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now)
        parameters.append(request.bankId)
        parameters.append(request.bankRevision)
        parameters.append(request.uniqueId)
        let channel: Channel
        var tokenMAC: [UInt8]?
        switch request.proof {
        case .hmac(let digest, let expiresAt):
            channel = .ac
            parameters.append(channel.rawValue)
            parameters.append(false)
            parameters.append(String?.none)
            parameters.append(digest)
            parameters.append(expiresAt)
        case .token(let isReminder, let idTransaction, let mac):
            channel = .token
            tokenMAC = mac
            parameters.append(channel.rawValue)
            parameters.append(isReminder)
            parameters.append(idTransaction)
            parameters.append([UInt8]?.none)
            parameters.append(Timestamp?.none)
        }
        bindCode(&parameters)
        parameters.append(request.sessionId)
        parameters.append(tokenMAC)
        parameters.append(request.confirmations)
    }

    private func bindCode(_ parameters: inout PostgresParameters) {
        let (isChecked, hasForm, macs): (Bool, Bool, [[UInt8]]) =
            switch request.code {
            case .notAsked: (false, false, [])
            case .withoutForm: (true, false, [])
            case .macs(let macs): (true, true, macs)
            }
        parameters.append(isChecked)
        parameters.append(hasForm)
        parameters.append(macs)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> FetchOutcome {
        switch try row.decode(0, as: String.self) {
        case "stale": return .stale
        case "delivered":
            return .delivered(
                sealedPIN: try row.decode(1, as: [UInt8].self), sealedFreeField: try row.decode(2, as: [UInt8]?.self))
        default: return .refused(try row.decode(0))
        }
    }
}

private struct TakeBackFetch: PostgresStatement {
    let request: FetchedPINRequest
    let idTransaction: String?

    static let sql = "SELECT take_back_fetch($1, $2, $3, $4)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(request.sessionId)
        parameters.append(request.bankId)
        parameters.append(idTransaction)
        if case .hmac(let digest, _) = request.proof {
            parameters.append(digest)
        } else {
            parameters.append([UInt8]?.none)
        }
    }
}

private struct NotifyDelivery: PostgresStatement {
    let bankId: String
    let bankRevision: Int64
    let uniqueId: String
    let sessionId: String
    let channel: Channel
    let tokenMACs: [[UInt8]]
    let status: Int32
    let confirmation: [UInt8]
    let now: Timestamp

    static let sql = "SELECT notify_delivery($1, $2, $3, $4, $5, $6, $7, $8, $9)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now)
        parameters.append(bankId)
        parameters.append(bankRevision)
        parameters.append(uniqueId)
        parameters.append(sessionId)
        parameters.append(channel.rawValue)
        parameters.append(tokenMACs)
        parameters.append(status)
        parameters.append(confirmation)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> NotifyOutcome {
        try row.decode(0)
    }
}
