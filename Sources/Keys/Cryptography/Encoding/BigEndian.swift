// Inlinable, because a generic function of another module takes several times as long.

extension FixedWidthInteger {
    /// All bytes, the most significant one first.
    @inlinable package var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian, Array.init) }

    /// The number that bytes make, the most significant one first. They are no more than the type has.
    @inlinable package init(bigEndianBytes bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}

// Numbers of any length.
extension Sequence<UInt8> {
    /// A big-endian number without the zeros in front.
    @inlinable package func withoutLeadingZeros() -> [UInt8] { drop { $0 == 0 }.map(\.self) }
}

extension [UInt8] {
    /// Whether a big-endian number is odd.
    var isOddNumber: Bool { last.map { $0 & 1 == 1 } ?? false }

    /// How many bits a big-endian number without zeros in front has.
    var bitCount: Int { count * 8 - (first?.leadingZeroBitCount ?? 0) }

    /// A big-endian number with as many zeros in front as it needs to have `byteCount` bytes.
    package func withLeadingZeros(to byteCount: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: byteCount - count) + self
    }
}
