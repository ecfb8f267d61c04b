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
    /// Those that define a PIN.
    static let definitions: [DefinitionCall] = [.hmac, .token, .indexes]
    /// Those that bring a token.
    static let byToken: [DefinitionCall] = [.token, .indexes]

    /// The member that holds what the cardholder has chosen.
    var choice: String { self == .indexes ? "indexes" : "pin" }
    /// How that is sealed.
    var sealing: SealingKind { self == .hmac ? .rsa : .ec }
}

/// A request in the making. As it stands it is one that is answered 0; a test changes what it wants to see refused.
struct Attempt: Sendable {
    let call: DefinitionCall
    /// Whose keys authenticate it.
    var bank: TestBank
    var bankId: String
    var uniqueId: String
    /// Unix seconds.
    var timestamp: JSON
    /// What is sealed: a PIN's digits, or indexes.
    var plaintext: [UInt8]
    var sealing: Sealing
    /// The keypad that the indexes are of.
    var keypadId: String?
    var keypadSize: JSON = 12
    /// Members of the token in the place of its own; nil takes one away.
    var tokenMembers: [String: JSON?] = [:]
    /// A text in the place of the token's.
    var tokenText: String?
    var signer: TestAuthority.Signer
    /// Members of the body in the place of its own; nil takes one away.
    var members: [String: JSON?] = [:]
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

    /// The members to send.
    func body() throws -> [String: JSON] {
        var body: [String: JSON]
        switch call {
        case .keypad:
            body = ["bankId": .string(bankId), "uniqueId": .string(uniqueId), "keypadSize": keypadSize]
        case .hmac:
            body = [
                "bankId": .string(bankId), "uniqueId": .string(uniqueId), "timestamp": timestamp,
                "hashMac": .string(hashMac), "pin": .string(try sealing.seal(plaintext)),
            ]
        case .token, .indexes:
            let token = tokenText ?? self.token.text
            body = [
                "token": .string(token), "signature": .string(try signer.signature(of: token)),
                call.choice: .string(try sealing.seal(plaintext)),
            ]
            if let keypadId { body["keypadId"] = .string(keypadId) }
        }
        body.change(members)
        return body
    }

    /// The bank's HMAC over what the request names, in hex.
    var hashMac: String {
        let message = bankId + uniqueId + (timestamp.string ?? "")
        return Hex.encode(HMAC<SHA256>.authenticationCode(for: Data(message.utf8), using: bank.hmacKey))
    }

    /// The token, unless there is a text in its place.
    var token: TestToken {
        var members: [String: JSON] = [
            "IdBEL": .string(bankId), "IdFournisseur": "provider", "IdPorteur": .string(uniqueId),
            "IdTransaction": .string(transactionId), "Timestamp": timestamp, "Type": "02",
        ]
        members.change(tokenMembers)
        return TestToken(members: members)
    }
}
