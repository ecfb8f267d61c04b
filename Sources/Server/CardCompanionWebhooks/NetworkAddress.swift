internal import Glibc

/// Addresses of hosts, and which of them are not in the public network.
package enum NetworkAddress {
    /// The addresses of a host, in text form, as the name servers know them now; none if the name is unknown.
    ///
    /// - Returns: nil if one of them is private.
    package static func publicAddresses(of host: String) -> [String]? {
        let addresses = lookUp(host)
        return addresses.contains(where: \.isPrivate) ? nil : addresses.map(\.text)
    }

    /// The addresses of a host, private ones too.
    package static func addresses(of host: String) -> [String] {
        lookUp(host).map(\.text)
    }

    private static func lookUp(_ host: String) -> [(text: String, isPrivate: Bool)] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        // Only what this machine can reach.
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [(text: String, isPrivate: Bool)] = []
        var entry = list
        while let found = entry {
            if let text = text(found.pointee) { addresses.append((text, isPrivate(found.pointee.ai_addr))) }
            entry = found.pointee.ai_next
        }
        return addresses
    }

    private static func text(_ info: addrinfo) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let flags = Int32(NI_NUMERICHOST)
        guard getnameinfo(info.ai_addr, info.ai_addrlen, &buffer, socklen_t(buffer.count), nil, 0, flags) == 0 else {
            return nil
        }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func isPrivate(_ address: UnsafeMutablePointer<sockaddr>) -> Bool {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin_addr) { isPrivateIPv4(Array($0)) }
            }
        case AF_INET6:
            address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) { isPrivateIPv6(Array($0)) }
            }
        default: true
        }
    }

    /// Whether the public network does not route the address, or it has a special meaning (RFC 6890).
    static func isPrivateIPv4(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (169, 254, _), (172, 16...31, _), (192, 168, _): true
        case (100, 64...127, _), (192, 0, 0), (192, 0, 2), (198, 18...19, _), (198, 51, 100), (203, 0, 113): true
        case (224...255, _, _): true
        default: false
        }
    }

    /// Whether the public network does not route the address, or it has a special meaning (RFC 6890).
    static func isPrivateIPv6(_ bytes: [UInt8]) -> Bool {
        // IPv4 in IPv6: mapped, compatible, and NAT64.
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && (bytes[10], bytes[11]) == (0xFF, 0xFF)
        let isTranslated = bytes.prefix(12).elementsEqual([0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0])
        if isMapped || isTranslated { return isPrivateIPv4(Array(bytes.suffix(4))) }
        // Of the rest only 2000::/3 is routed, except documentation, benchmarking, Teredo and 6to4.
        guard bytes[0] & 0xE0 == 0x20 else { return true }
        let isSpecial =
            (bytes[0], bytes[1]) == (0x20, 0x01) && (bytes[2] < 0x02 || (bytes[2], bytes[3]) == (0x0D, 0xB8))
        return isSpecial || (bytes[0], bytes[1]) == (0x20, 0x02)
    }
}
