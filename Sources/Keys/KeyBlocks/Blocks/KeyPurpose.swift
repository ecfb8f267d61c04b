/// What a key does: usage and mode of use of a header (X9.143 sections 6.3.1 and 6.3.3), as far as the server has a use for
/// such keys.
package enum KeyPurpose: Sendable, Hashable {
    /// Usage P0: PIN blocks.
    case pinEncryption(KeyDirection)
    /// Usage M7: hashMacs. The server only verifies them, with a key that can also generate them (C) or cannot (V).
    case messageAuthentication(generates: Bool)
    /// Usage K1: key blocks.
    case keyBlockProtection(KeyDirection)
    /// Usage K0: other keys, in key blocks or in any other way.
    case keyEncryption(KeyDirection)
    /// Usage V1: offsets of IBM 3624. The server only generates them, with a key that can also verify them (C) or cannot (G).
    case ibm3624(verifies: Bool)
    /// Usage V2: PVVs of Visa, as ``ibm3624(verifies:)``.
    case visaPVV(verifies: Bool)

    static let all: [KeyPurpose] =
        KeyDirection.allCases.flatMap { [.pinEncryption($0), .keyBlockProtection($0), .keyEncryption($0)] }
        + [false, true].flatMap {
            [.messageAuthentication(generates: $0), .ibm3624(verifies: $0), .visaPVV(verifies: $0)]
        }

    var usage: String {
        switch self {
        case .pinEncryption: "P0"
        case .messageAuthentication: "M7"
        case .keyBlockProtection: "K1"
        case .keyEncryption: "K0"
        case .ibm3624: "V1"
        case .visaPVV: "V2"
        }
    }

    var modeOfUse: Character {
        switch self {
        case .pinEncryption(let direction), .keyBlockProtection(let direction), .keyEncryption(let direction):
            direction.rawValue
        case .messageAuthentication(let generates): generates ? "C" : "V"
        case .ibm3624(let verifies), .visaPVV(let verifies): verifies ? "C" : "G"
        }
    }

    var algorithms: [KeyAlgorithm] {
        switch self {
        case .pinEncryption, .keyBlockProtection, .keyEncryption: [.aes, .tripleDES]
        case .messageAuthentication: [.hmac]
        case .ibm3624, .visaPVV: [.tripleDES]
        }
    }
}

/// Which way a key is used. Its raw value is the mode of use in a header.
package enum KeyDirection: Character, Sendable, Hashable, CaseIterable {
    /// Opens what comes in.
    case decrypt = "D"
    /// Seals what goes out.
    case encrypt = "E"
    case both = "B"

    package var decrypts: Bool { self != .encrypt }
    package var encrypts: Bool { self != .decrypt }
}
