internal import Cryptography

/// The send sequence counter (Doc 9303-11 section 9.8.6): one block, big-endian, that counts up before each command and each
/// answer and begins again after the greatest number.
package struct SendSequenceCounter: Hashable, Sendable {
    /// 8 bytes for Triple DES, 16 for AES.
    package private(set) var bytes: [UInt8]

    /// - Parameter bytes: 8 or 16, as the cipher needs.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Counts up by one.
    package mutating func increment() {
        for place in bytes.indices.reversed() {
            bytes[place] &+= 1
            if bytes[place] != 0 { return }
        }
    }

    /// The counter as document 003 has it: a signed number of 64 bits. For Triple DES it is the two's complement, so counters
    /// after BAC can be negative. Nil for a negative number of AES, whose first half is zero.
    package init?(signed number: Int64, cipher: SessionKeys.Cipher) {
        guard cipher == .tripleDES || number >= 0 else { return nil }
        bytes = number.bigEndianBytes.withLeadingZeros(to: cipher.blockByteCount)
    }

    /// See ``init(signed:cipher:)``; nil for a counter of AES that does not fit.
    package var signed: Int64? {
        let number = Int64(bigEndianBytes: bytes.suffix(8))
        let isWhole = bytes.count == 8 || bytes.dropLast(8).allSatisfy { $0 == 0 } && number >= 0
        return isWhole ? number : nil
    }
}
