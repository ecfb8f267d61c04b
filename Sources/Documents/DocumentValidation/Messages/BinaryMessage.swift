package import EMRTD
package import SecureMemory

/// A binary message, of either side (document 003, "Binary Messages").
package enum BinaryMessage: Sendable {
    /// `01`, the length of the name, the name, the content.
    case file(name: String, Octets)
    /// `02`, and a command for the chip or its answer.
    case apdu(Octets)

    /// The longest file that a client can send, in bytes.
    package static let fileByteLimit = 1 << 20
    /// The longest answer of a chip: 65,536 bytes and the status.
    package static let apduByteLimit = 65_538
    /// The longest message: a file with the longest name.
    package static let byteLimit = fileByteLimit + 257

    private static let (fileType, apduType): (UInt8, UInt8) = (1, 2)

    /// - Throws: ``CloseReason/protocolError``.
    package init(_ bytes: Octets) throws(CloseReason) {
        switch bytes.first {
        case Self.fileType:
            guard bytes.count >= 2 else { throw .protocolError }
            let (nameLength, rest) = (Int(bytes[1]), bytes.dropFirst(2))
            // A file can have no name (document 003). Nobody asks for it.
            guard rest.count >= nameLength, rest.count - nameLength <= Self.fileByteLimit,
                let name = rest.prefix(nameLength).withBytes({ String(validating: $0, as: UTF8.self) })
            else { throw .protocolError }
            self = .file(name: name, rest.dropFirst(nameLength))
        case Self.apduType:
            guard bytes.count - 1 <= Self.apduByteLimit else { throw .protocolError }
            self = .apdu(bytes.dropFirst())
        default: throw .protocolError
        }
    }

    /// The bytes of a message that the server sends. Its names are short: Android reads their length as a signed number.
    package var encoded: SharedSecret {
        switch self {
        case .file(let name, let content):
            Self.joined([Self.fileType, UInt8(name.utf8.count)] + Array(name.utf8), content)
        case .apdu(let command): Self.joined([Self.apduType], command)
        }
    }

    private static func joined(_ head: [UInt8], _ content: Octets) -> SharedSecret {
        var buffer = SecretBuffer(capacity: head.count + content.count, in: .ordinary)
        buffer.append(head)
        buffer.append(content)
        return SharedSecret(buffer.finish())
    }
}
