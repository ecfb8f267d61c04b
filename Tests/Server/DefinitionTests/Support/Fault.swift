import Foundation
import ServerHarness

/// A fault in a request, and the code with which the server refuses it.
struct Fault: Sendable {
    /// The parts of a request that a fault changes. Two faults that change the same part cannot be combined.
    enum Part: Sendable {
        case bankId, uniqueId, timestamp, hashMac, signature, provider, transaction, type, alias, bank
        case ephemeralKey, encryptedKey, header, keyId, tag, plaintext, keypad, keypadSize
    }

    let code: Int
    let name: String
    let parts: Set<Part>
    let apply: @Sendable (inout Attempt) -> Void

    init(_ code: Int, _ name: String, _ parts: Set<Part>, apply: @escaping @Sendable (inout Attempt) -> Void) {
        self.code = code
        self.name = name
        self.parts = parts
        self.apply = apply
    }

    /// A missing member of the body.
    static func missing(_ code: Int, _ member: String, _ parts: Set<Part>) -> Fault {
        Fault(code, "no \(member)", parts) { $0.members[member] = .some(nil) }
    }

    /// A missing member of the token.
    static func missingInToken(_ code: Int, _ member: String, _ parts: Set<Part>) -> Fault {
        Fault(code, "no \(member) in the token", parts) { $0.tokenMembers[member] = .some(nil) }
    }

    static let choice: Set<Part> = [.ephemeralKey, .encryptedKey, .header, .keyId, .tag, .plaintext]
    static let wholeToken: Set<Part> = [
        .bankId, .uniqueId, .timestamp, .provider, .transaction, .type, .alias, .bank,
    ]

    // Faults in the sealed value.

    static let noEphemeralKey = Fault(107, "no epk", [.ephemeralKey]) { $0.sealing.header["epk"] = .some(nil) }
    static let badEphemeralKey = Fault(207, "epk is not a point of P-256", [.ephemeralKey]) {
        $0.sealing.header["epk"] = .publicKey([UInt8](repeating: 1, count: 64), curve: "P-256")
    }
    static let emptyEncryptedKey = Fault(201, "the encrypted key is empty", [.encryptedKey]) {
        $0.sealing.spoilAlso { $0.encryptedKey = [] }
    }
    static let critical = Fault(200, "crit in the header", [.header]) {
        $0.sealing.header["crit"] = ["exp"]
    }
    static let unknownKey = Fault(200, "an unknown kid", [.keyId]) { $0.sealing.header["kid"] = "unknown" }
    static let wrongTag = Fault(200, "a wrong tag", [.tag]) {
        $0.sealing.spoilAlso { $0.tag[0] ^= 1 }
    }
    static let nothingChosen = Fault(130, "nothing is sealed", [.plaintext]) { $0.plaintext = [] }
    static let notAPIN = Fault(131, "the sealed text is not a PIN", [.plaintext]) { $0.plaintext = Array("12".utf8) }

    // Faults in the authentication.

    static let unknownBank = Fault(101, "an unknown bank", [.bankId]) { $0.bankId = "nobody" }
    static let notATimestamp = Fault(121, "a timestamp of nine digits", [.timestamp]) { $0.timestamp = "123456789" }
    static let oldTimestamp = Fault(121, "a timestamp of an hour ago", [.timestamp]) {
        $0.timestamp = .string("\(TestBank.timestamp(-3600))")
    }
    static let unknownCardholder = Fault(111, "an unknown cardholder", [.uniqueId]) { $0.uniqueId = "nobody" }
}

extension Sealing {
    /// Adds a change of the parts to the existing ones.
    mutating func spoilAlso(_ change: @escaping @Sendable (inout CompactParts) -> Void) {
        let before = spoil
        spoil = { parts in
            before(&parts)
            change(&parts)
        }
    }
}
