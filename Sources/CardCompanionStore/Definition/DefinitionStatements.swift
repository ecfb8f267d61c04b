public import PostgresLibPQ

/// A definition whose caller has been authenticated and whose PIN has been judged.
public struct DefinedPINRequest: Sendable {
    /// What authenticated the caller.
    public enum Proof: Sendable {
        /// An HMAC: SHA-256 of it, and when its timestamp leaves the window.
        case hmac(digest: [UInt8], expiresAt: Timestamp)
        /// A token: its IdTransaction, and how long that is kept as spent.
        case token(idTransaction: String, expiresAt: Timestamp)
    }

    /// What the cardholder has chosen.
    public enum Choice: Sendable {
        /// It could not be judged, or the bank does not allow it: only the token is to be spent.
        case refused
        /// A PIN.
        case digits(DefinedPIN)
        /// Places on a keypad: the one that they were read with, where there is one, and the PIN where they are one
        /// that the bank allows.
        case indexes(keypadId: String?, DefinedPIN?)
    }

    /// A PIN that the bank allows.
    public struct DefinedPIN: Sendable {
        /// Sealed for the store.
        public let sealed: [UInt8]
        /// Sealed to the bank's encryption certificate: a JWE, which its event carries; nil where it has none.
        public let forBank: String?

        /// See the members.
        public init(sealed: [UInt8], forBank: String?) {
            self.sealed = sealed
            self.forBank = forBank
        }
    }

    /// The bank.
    public var bankId: String
    /// The revision of the bank that the caller was authenticated with.
    public var bankRevision: Int64
    /// The cardholder.
    public var uniqueId: String
    /// What authenticated the caller.
    public var proof: Proof
    /// What the cardholder has chosen.
    public var choice: Choice

    /// See the members.
    public init(
        bankId: String, bankRevision: Int64, uniqueId: String, proof: Proof, choice: Choice
    ) {
        self.bankId = bankId
        self.bankRevision = bankRevision
        self.uniqueId = uniqueId
        self.proof = proof
        self.choice = choice
    }
}

/// How a definition went, in the order in which it is decided.
public enum DefinitionOutcome: String, StoredEnumeration {
    /// The bank has changed since the caller was authenticated; nothing was written.
    case stale
    /// The choice was refused before; the token is spent.
    case refused
    case transactionSpent = "transaction-spent"
    case hmacSpent = "hmac-spent"
    case noCardholder = "no-cardholder"
    case statusNotSatisfied = "status-not-satisfied"
    case noKeypad = "no-keypad"
    case badPIN = "bad-pin"
    /// The PIN is the cardholder's.
    case defined
}

extension Store {
    /// Does all of a definition that must be atomic: spends its id, checks the cardholder, uses up the keypad, and puts
    /// the PIN in the old one's place.
    public func definePIN(
        _ request: DefinedPINRequest, now: Timestamp
    ) async throws(PostgresError) -> DefinitionOutcome {
        try await client.executeForOneRow(DefinePIN(request: request, now: now))
    }
}

private struct DefinePIN: PostgresStatement {
    let request: DefinedPINRequest
    let now: Timestamp

    static let sql = "SELECT define_pin($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now)
        parameters.append(request.bankId)
        parameters.append(request.bankRevision)
        parameters.append(request.uniqueId)
        switch request.proof {
        case .token(let idTransaction, let expiresAt):
            parameters.append(idTransaction)
            parameters.append(expiresAt)
            parameters.append([UInt8]?.none)
            parameters.append(Timestamp?.none)
        case .hmac(let digest, let expiresAt):
            parameters.append(String?.none)
            parameters.append(Timestamp?.none)
            parameters.append(digest)
            parameters.append(expiresAt)
        }
        let (choice, keypadId, pin): (String, String?, DefinedPINRequest.DefinedPIN?) =
            switch request.choice {
            case .refused: ("refused", nil, nil)
            case .digits(let pin): ("digits", nil, pin)
            case .indexes(let keypadId, let pin): ("indexes", keypadId, pin)
            }
        parameters.append(choice)
        parameters.append(keypadId)
        parameters.append(pin?.sealed)
        parameters.append(pin?.forBank)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> DefinitionOutcome {
        try row.decode(0)
    }
}
