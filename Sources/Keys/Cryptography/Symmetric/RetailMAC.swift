package import SecureMemory

/// The retail MAC: MAC algorithm 3 of ISO/IEC 9797-1 with DES, and no padding of its own. Smart cards use it; it is too weak
/// for anything new.
package struct RetailMAC: Sendable {
    /// The length of the two keys together, and of a MAC.
    package static let keyByteCount = 16
    package static let byteCount = 8

    /// DES with the first key is Triple DES with three equal keys.
    private let single: BlockCipher
    private let double: BlockCipher

    /// Copies the two keys, 16 bytes.
    ///
    /// - Throws: `invalidKey` if there are not 16 bytes.
    package init(key: borrowing some ByteSource & ~Copyable) throws(CryptographyError) {
        guard key.octetCount == Self.keyByteCount else { throw failure(.invalidKey) }
        let first = key.withBytes { key in
            SecretBytes(count: 24) { output in
                for place in output.indices { output[place] = key[place % 8] }
            }
        }
        single = try BlockCipher(.tripleDES, key: first)
        double = try BlockCipher(.tripleDES, key: key)
    }

    /// The MAC of a message, 8 bytes. The message must be padded already.
    ///
    /// - Throws: `invalidLength` for a message that is not made of whole blocks, `engineFailure`.
    package func authenticationCode(for message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let size = Self.byteCount
        guard !message.isEmpty, message.count.isMultiple(of: size) else { throw failure(.invalidLength) }
        var state = [UInt8](repeating: 0, count: size)
        let beginning = message.dropLast(size)
        if !beginning.isEmpty {
            state = try Array(single.encryptChain(beginning, initializationVector: state).suffix(size))
        }
        // DES with the first key, its inverse with the second, and DES with the first again: Triple DES with two keys.
        let last = zip(state, message.suffix(size)).map { $0 ^ $1 }
        return try double.encryptBlocks(last).publicCopy()
    }
}
