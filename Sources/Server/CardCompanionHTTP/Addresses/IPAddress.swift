internal import NIOCore

/// An IP address. IPv4 is kept as IPv6 (::ffff:a.b.c.d, RFC 4291 section 2.5.5.2), so that it is one address in both forms.
struct IPAddress: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads an address without port and brackets.
    init?(_ text: some StringProtocol) {
        guard let address = try? SocketAddress(ipAddress: String(text), port: 0) else { return nil }
        self.init(address)
    }

    /// Nil for the address of a Unix socket.
    init?(_ address: SocketAddress) {
        let halves = address.withSockAddr { start, byteCount -> (high: UInt64, low: UInt64)? in
            let bytes = UnsafeRawBufferPointer(start: start, count: byteCount)
            switch address {
            case .v4: return (0, 0xFFFF_0000_0000 | Self.number(bytes, Self.ipv4Offset, UInt32.self))
            case .v6:
                return (
                    Self.number(bytes, Self.ipv6Offset, UInt64.self),
                    Self.number(bytes, Self.ipv6Offset + 8, UInt64.self)
                )
            case .unixDomainSocket: return nil
            }
        }
        guard let halves else { return nil }
        self.init(high: halves.high, low: halves.low)
    }

    /// Where the address is in `sockaddr_in` (ip(7)) and `sockaddr_in6` (ipv6(7)).
    private static let ipv4Offset = 4
    private static let ipv6Offset = 8

    private static func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, _: Number.Type
    ) -> UInt64 {
        UInt64(Number(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self)))
    }

    var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// Whether it is this machine's own: 127.0.0.0/8 or ::1.
    var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

    /// What limits count: an IPv4 address, or the /64 of an IPv6 address, because one customer has all of it.
    var network: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }

    /// The address for people: `192.0.2.1`, or all groups of an IPv6 address.
    var text: String {
        func groups(_ half: UInt64) -> [UInt64] { [48, 32, 16, 0].map { half >> $0 & 0xFFFF } }
        guard !isIPv4 else { return [24, 16, 8, 0].map { "\(low >> $0 & 0xFF)" }.joined(separator: ".") }
        return (groups(high) + groups(low)).map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// The first bits of the address; the others are 0.
    func prefix(bits: Int) -> IPAddress {
        IPAddress(high: high & Self.mask(bits: bits), low: low & Self.mask(bits: bits - 64))
    }

    private static func mask(bits: Int) -> UInt64 {
        bits <= 0 ? 0 : bits >= 64 ? .max : ~(.max >> UInt64(bits))
    }
}

/// Addresses that begin with the same bits, such as `10.0.0.0/8`, `2001:db8::/32` or `192.0.2.1`.
package struct AddressRange: Sendable, Hashable {
    private let first: IPAddress
    private let bits: Int

    /// - Returns: nil if the text is not an address, or an address with a number of bits (CIDR, RFC 4632).
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        let width = address.isIPv4 ? 32 : 128
        guard let own = parts.count == 1 ? width : Int(parts[1]), 0...width ~= own else { return nil }
        bits = own + 128 - width
        first = address.prefix(bits: bits)
    }

    func contains(_ address: IPAddress) -> Bool {
        address.prefix(bits: bits) == first
    }
}
