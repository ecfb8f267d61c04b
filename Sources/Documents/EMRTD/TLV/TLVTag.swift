internal import Cryptography

/// A tag of BER (X.690 section 8.1.2) of at most three bytes, as the number that its bytes make: `0x5F1F`.
package struct TLVTag: Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    static let byteCountLimit = 3

    package let value: UInt32

    package init(integerLiteral value: UInt32) {
        self.value = value
    }

    init(bytes: some Sequence<UInt8>) {
        value = UInt32(bigEndianBytes: bytes)
    }

    package var bytes: [UInt8] { value.bigEndianBytes.withoutLeadingZeros() }

    /// Whether the content consists of elements.
    package var isConstructed: Bool { (bytes.first ?? 0) & 0x20 != 0 }

    package var description: String { Hex.encode(bytes).uppercased() }
}

extension TLVTag {
    package static let boolean: TLVTag = 0x01
    package static let integer: TLVTag = 0x02
    package static let bitString: TLVTag = 0x03
    package static let octetString: TLVTag = 0x04
    package static let null: TLVTag = 0x05
    package static let objectIdentifier: TLVTag = 0x06
    package static let utcTime: TLVTag = 0x17
    package static let generalizedTime: TLVTag = 0x18
    package static let constructedOctetString: TLVTag = 0x24
    package static let sequence: TLVTag = 0x30
    package static let set: TLVTag = 0x31

    /// The context tag `[number]` with elements in it.
    package static func context(_ number: UInt32) -> TLVTag { TLVTag(integerLiteral: 0xA0 | number) }
}
