/// The purpose of a token (SDK document, section 5.4: `00`, `01`, `02`).
public enum TokenType: Int, CaseIterable, Sendable {
    /// The first delivery of a PIN.
    case delivery = 0
    /// A reminder: the PIN is shown again after its first delivery.
    case reminder = 1
    /// The definition of a PIN by the cardholder.
    case definition = 2

    /// Parses the text with or without the leading zero; nil for any other text.
    public init?(text: String) {
        guard let type = Self.allCases.first(where: { text == $0.text || text == String($0.rawValue) }) else {
            return nil
        }
        self = type
    }

    /// The two-digit form.
    public var text: String { "0\(rawValue)" }
}

/// The token that a bank's back-end signs (SDK document, section 5.4).
public struct Token: Sendable, Redacted {
    /// IdBEL: the bank's identifier.
    public var bankId: String
    /// IdPorteur: the cardholder's identifier.
    public var uniqueId: String
    /// IdFournisseur: the service provider that authenticated the cardholder.
    public var providerId: String
    /// IdTransaction: the transaction's identifier, which can be used once.
    public var transactionId: String
    /// Timestamp: Unix time in seconds.
    public var timestamp: Int
    /// Type: the token's purpose.
    public var type: TokenType
    /// SignatureCertAlias: the bank's certificate that verifies the signature. Nil for the bank's default certificate.
    public var signatureCertAlias: String?
    /// AuthenticationCode: the cardholder's password, for PCI-CPP banks.
    public var authenticationCode: String?
    /// Binding: the digest of the app's key, or of the sealed PIN, that the token is bound to. Nil: it is not bound.
    public var binding: String?

    /// Creates a token that is not signed yet.
    public init(
        bankId: String, uniqueId: String, providerId: String, transactionId: String, timestamp: Int, type: TokenType,
        signatureCertAlias: String? = nil, authenticationCode: String? = nil, binding: String? = nil
    ) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.providerId = providerId
        self.transactionId = transactionId
        self.timestamp = timestamp
        self.type = type
        self.signatureCertAlias = signatureCertAlias
        self.authenticationCode = authenticationCode
        self.binding = binding
    }

    /// The JSON text to sign and to send unchanged. Members are in the SDK document's order; all values are strings.
    public func json() -> String {
        let members: [(name: String, value: String?)] = [
            (MemberName.idBEL, bankId),
            (MemberName.idPorteur, uniqueId),
            (MemberName.idFournisseur, providerId),
            (MemberName.idTransaction, transactionId),
            (MemberName.tokenTimestamp, String(timestamp)),
            (MemberName.tokenType, type.text),
            (MemberName.signatureCertAlias, signatureCertAlias),
            (MemberName.authenticationCode, authenticationCode),
            (MemberName.binding, binding),
        ]
        let written = members.compactMap { member in
            member.value.map { "\"\(member.name)\":\(Self.quoted($0))" }
        }
        return "{" + written.joined(separator: ",") + "}"
    }

    /// The text as a JSON string (RFC 8259 section 7).
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                quoted += "\\\(scalar)"
            case "\u{0}"..."\u{1f}":
                let hex = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default:
                quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
