/// A name of a server, as it is the value of `@authority` (RFC 9421 section 2.2.3): a host in lower case, and its port
/// unless that is a default port.
package struct Authority: Hashable, Sendable, CustomStringConvertible {
    /// `pin.example.com` or `pin.example.com:8443`.
    package let description: String

    /// The default ports of https and http. Clients omit them.
    private static let defaultPorts = [443, 80]
    /// The longest host and the longest label of a host, in bytes (RFC 1035 section 2.3.4).
    private static let hostByteLimit = 253
    private static let labelByteLimit = 63

    /// Reads a name in any case, with or without a default port.
    ///
    /// - Returns: nil if the text is not a DNS name or an IPv4 address, with or without a port.
    package init?(_ text: some StringProtocol) {
        // Some letters outside ASCII become ASCII in lower case.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let parts = text.lowercased().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, Self.isHost(host) else { return nil }
        guard parts.count == 2 else {
            description = String(host)
            return
        }
        guard let port = UInt16(parts[1]), port > 0, String(port) == parts[1] else { return nil }
        description = Self.defaultPorts.contains(Int(port)) ? String(host) : "\(host):\(port)"
    }

    private static func isHost(_ host: Substring) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= hostByteLimit, labels.allSatisfy(isLabel), let last = labels.last else { return false }
        // A host whose last label is a number is an IPv4 address, or wrong.
        guard last.utf8.allSatisfy(isDigit) else { return true }
        return labels.count == 4 && labels.allSatisfy { label in UInt8(label).map { String($0) == label } ?? false }
    }

    private static func isLabel(_ label: Substring) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return 1...labelByteLimit ~= label.utf8.count && label.utf8.first != hyphen && label.utf8.last != hyphen
            && label.utf8.allSatisfy { $0 == hyphen || isDigit($0) || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
}

/// Which value `@authority` of a request must have.
package enum ExpectedAuthority: Sendable {
    /// The authority of the request as it was sent. This proves nothing about the server that the request was meant for.
    case asSent
    /// One of the server's names, whatever the request says.
    case oneOf([Authority])

    /// The message with each authority that it can have. The first is the one that its sender most likely meant.
    package func candidates(of message: SignedMessage) -> [SignedMessage] {
        guard case .oneOf(let names) = self else { return [message] }
        let sent = message.authority.flatMap { Authority($0) }
        return (names.filter { $0 == sent } + names.filter { $0 != sent }).map { message.addressed(to: $0) }
    }

    /// The names; nil if the authority is taken as it was sent.
    var names: [Authority]? {
        guard case .oneOf(let names) = self else { return nil }
        return names
    }
}
