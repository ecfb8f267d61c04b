import Crypto
import Foundation
import ServerHarness

/// The operations of PIN definition (protocol, section 2).
enum DefinitionCall: String, Sendable, CaseIterable {
    case keypad = "/v1/pin-definition/keypad-coordinates"
    case hmac = "/v1/pin-definition/pin"
    case token = "/v1/pin-definition/token/pin"
    case indexes = "/v1/pin-definition/token/pin-indexes"

    var path: String { rawValue }
    /// The calls that define a PIN.
    static let definitions: [DefinitionCall] = [.hmac, .token, .indexes]
    /// The calls that carry a token.
    static let byToken: [DefinitionCall] = [.token, .indexes]

    /// The member with the sealed choice of the cardholder.
    var choice: String { self == .indexes ? "indexes" : "pin" }
    /// The algorithm that seals the choice.
    var sealing: SealingKind { self == .hmac ? .rsa : .ec }
}

/// A request under construction. Unchanged, it is answered 0; a test changes the parts that must be refused.
struct Attempt: Sendable {
    let call: DefinitionCall
    /// The bank whose keys authenticate the request.
    var bank: TestBank
    var bankId: String
    var uniqueId: String
    /// Unix seconds, as text.
    var timestamp: JSON
    /// The plaintext to seal: a PIN's digits, or indexes.
    var plaintext: [UInt8]
    var sealing: Sealing
    /// The keypad to which the indexes refer.
    var keypadId: String?
    var keypadSize: JSON = 12
    /// Members that replace the token's own; nil removes a member.
    var tokenMembers: [String: JSON?] = [:]
    /// Replaces the token's text.
    var tokenText: String?
    var signer: TestAuthority.Signer
    /// Members that replace the body's own; nil removes a member.
    var members: [String: JSON?] = [:]
    /// What the hashMac or the token is bound to.
    var proof = BoundTo.nothing
    /// Whether the sealed choice names what it is for.
    var isBound = true
    /// The token's IdTransaction.
    var transactionId = UUID().uuidString

    init(_ call: DefinitionCall, _ bank: TestBank, _ holder: TestCardholder, _ choice: String, keys: ServerKeySet)
        throws
    {
        self.call = call
        self.bank = bank
        bankId = bank.id
        uniqueId = holder.uniqueId
        timestamp = .string("\(TestBank.timestamp())")
        plaintext = Array(choice.utf8)
        sealing = try Sealing(call.sealing, to: keys)
        signer = bank.signer
    }

    /// The members of the body.
    func body() throws -> [String: JSON] {
        var body: [String: JSON]
        var sealing = sealing
        if isBound { sealing.binding = binding }
        let choice = try sealing.seal(plaintext)
        switch call {
        case .keypad:
            body = ["bankId": .string(bankId), "uniqueId": .string(uniqueId), "keypadSize": keypadSize]
        case .hmac:
            body = [
                "bankId": .string(bankId), "uniqueId": .string(uniqueId), "timestamp": timestamp,
                "hashMac": .string(hashMac(for: choice)), "pin": .string(choice),
            ]
        case .token, .indexes:
            let token = tokenText ?? token(for: choice).text
            body = [
                "token": .string(token), "signature": .string(try signer.signature(of: token)),
                call.choice: .string(choice),
            ]
            if let keypadId { body["keypadId"] = .string(keypadId) }
        }
        body.change(members)
        return body
    }

    /// What the sealed choice is for.
    var binding: SealedBinding {
        call == .hmac
            ? SealedBinding("pin", bankId: bankId, uniqueId: uniqueId, requestId: timestamp.string)
            : SealedBinding(call.choice, for: token, keypadId: call == .indexes ? keypadId : nil)
    }

    /// The bank's HMAC over bankId, uniqueId and timestamp in hex. It is not bound.
    var hashMac: String { hashMac(boundTo: "") }

    private func hashMac(for choice: String) -> String {
        hashMac(boundTo: proof.member(for: choice)?.string.map { ".\($0)." } ?? "")
    }

    private func hashMac(boundTo binding: String) -> String {
        let message = bankId + uniqueId + (timestamp.string ?? "") + binding
        return Hex.encode(HMAC<SHA256>.authenticationCode(for: Data(message.utf8), using: bank.hmacKey))
    }

    private func token(for choice: String) -> TestToken {
        var token = token
        if let member = proof.member(for: choice) { token.members["Binding"] = member }
        return token
    }

    /// The token without a binding; `tokenText` replaces its text.
    var token: TestToken {
        var members: [String: JSON] = [
            "IdBEL": .string(bankId), "IdFournisseur": "provider", "IdPorteur": .string(uniqueId),
            "IdTransaction": .string(transactionId), "Timestamp": timestamp, "Type": "02",
        ]
        members.change(tokenMembers)
        return TestToken(members: members)
    }
}

/// What a hashMac or a token is bound to (protocol, section 2.2.1).
enum BoundTo: Sendable {
    case nothing
    /// The sealed choice that is sent with it.
    case choice
    case text(JSON)

    /// The token's member Binding; nil if it has none.
    func member(for choice: String) -> JSON? {
        switch self {
        case .nothing: nil
        case .choice: .string(Self.digest(Array(choice.utf8)))
        case .text(let text): text
        }
    }

    static func digest(_ bytes: [UInt8]) -> String { Base64URL.encode(Array(SHA256.hash(data: bytes))) }
}
