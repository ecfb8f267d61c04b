internal import Glibc

/// Where a webhook may lead: by https, and into no private network unless the operator allows it.
public struct WebhookTarget: Sendable, Equatable {
    /// The whole URL.
    public let url: String
    /// `https` or `http`.
    public let scheme: String
    /// The host's name or address.
    public let host: String
    /// The port.
    public let port: Int
    /// What follows the authority: path and query.
    public let target: String

    /// As `Host` has it, and `@authority` (RFC 9421 section 2.2.3): without the scheme's own port.
    var authority: String {
        let isUsual = port == (scheme == "https" ? 443 : 80)
        return isUsual ? host.lowercased() : "\(host.lowercased()):\(port)"
    }

    /// Reads `https://host[:port]/path[?query]`; `http` is read as well where the network is private.
    ///
    /// - Throws: ``InvalidSetting``.
    public init(_ url: String, isPrivate: Bool) throws(InvalidSetting) {
        let scheme = url.hasPrefix("https://") ? "https://" : "http://"
        guard url.hasPrefix(scheme), scheme == "https://" || isPrivate else {
            throw InvalidSetting(description: "a webhook's URL begins with https://")
        }
        guard url.wholeMatch(of: /(?:[A-Za-z0-9\-._~:\/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*/) != nil,
            url.utf8.count <= 2000
        else {
            throw InvalidSetting(
                description: "a webhook's URL has no spaces and none but the characters of RFC 3986, up to 2000")
        }
        let rest = url.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let target = rest.dropFirst(authority.count)
        guard !authority.contains("@"), !target.contains("#") else {
            throw InvalidSetting(description: "a webhook's URL has no user and no fragment")
        }
        guard !authority.hasPrefix("[") else {
            throw InvalidSetting(description: "a webhook's host is a name or an IPv4 address")
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        let port = parts.count == 2 ? Int(parts[1]) : (scheme == "https://" ? 443 : 80)
        guard 1...2 ~= parts.count, let host = parts.first, !host.isEmpty, let port, 1...65_535 ~= port else {
            throw InvalidSetting(description: "a webhook's URL has a host, and a port from 1 to 65535 or none")
        }
        self.url = url
        self.scheme = String(scheme.dropLast(3))
        self.host = String(host)
        self.port = port
        self.target = target.hasPrefix("/") ? String(target) : "/\(target)"
    }

    /// The host's addresses, as they are now; none where its name is not known.
    ///
    /// - Throws: ``InvalidSetting`` where one is of a private network and that is not allowed.
    public func addresses(isPrivate: Bool) throws(InvalidSetting) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        // Only what this machine can reach.
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var entry = list
        while let found = entry {
            guard isPrivate || !NetworkAddress.isPrivate(found.pointee.ai_addr) else {
                throw InvalidSetting(description: "the host \(host) has an address of a private network")
            }
            if let text = NetworkAddress.text(found.pointee) { addresses.append(text) }
            entry = found.pointee.ai_next
        }
        return addresses
    }
}

/// Addresses that the public network does not route, and those with a meaning of their own (RFC 6890).
enum NetworkAddress {
    static func text(_ info: addrinfo) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let flags = Int32(NI_NUMERICHOST)
        guard getnameinfo(info.ai_addr, info.ai_addrlen, &buffer, socklen_t(buffer.count), nil, 0, flags) == 0 else {
            return nil
        }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func isPrivate(_ address: UnsafeMutablePointer<sockaddr>) -> Bool {
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

    static func isPrivateIPv4(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (169, 254, _), (172, 16...31, _), (192, 168, _): true
        case (100, 64...127, _), (192, 0, 0), (192, 0, 2), (198, 18...19, _), (198, 51, 100), (203, 0, 113): true
        case (224...255, _, _): true
        default: false
        }
    }

    static func isPrivateIPv6(_ bytes: [UInt8]) -> Bool {
        // IPv4 in IPv6: mapped, compatible, and NAT64.
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && (bytes[10], bytes[11]) == (0xFF, 0xFF)
        let isTranslated = bytes.prefix(12).elementsEqual([0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0])
        if isMapped || isTranslated { return isPrivateIPv4(Array(bytes.suffix(4))) }
        // Of the rest only 2000::/3 is routed, without documentation, benchmarking, Teredo and 6to4.
        guard bytes[0] & 0xE0 == 0x20 else { return true }
        let isSpecial =
            (bytes[0], bytes[1]) == (0x20, 0x01) && (bytes[2] < 0x02 || (bytes[2], bytes[3]) == (0x0D, 0xB8))
        return isSpecial || (bytes[0], bytes[1]) == (0x20, 0x02)
    }
}
