internal import HTTPTypes

/// Who sent a request that came through proxies. Only proxies that the operator has named are believed.
enum ForwardedAddresses {
    /// The nearest address that is not one of the proxies.
    ///
    /// Each proxy adds the address that it was called from at the right. So the list is read from right to left, and it ends
    /// at the first address that is not a proxy's: everything left of that can be forged.
    ///
    /// - Parameter peer: the other end of the connection.
    static func client(peer: IPAddress, _ headers: HTTPFields, proxies: [AddressRange]) -> IPAddress {
        let isProxy = { (address: IPAddress) in proxies.contains { $0.contains(address) } }
        guard isProxy(peer) else { return peer }
        let clients = lists(in: headers).filter { !$0.isEmpty }.map { nearest($0, peer, isProxy) }
        // A proxy sets one of the two fields, and may let the client's other one pass. If they differ, neither is believed.
        guard let client = clients.first, clients.allSatisfy({ $0 == client }) else { return peer }
        return client
    }

    /// Whether every address that the fields name is loopback. A field that cannot be read is not.
    static func areLoopback(_ headers: HTTPFields) -> Bool {
        lists(in: headers).joined().allSatisfy { $0?.isLoopback == true }
    }

    /// What each of the two fields says, with all its lines.
    private static func lists(in headers: HTTPFields) -> [[IPAddress?]] {
        [headers[values: .forwarded].flatMap(forwarded), headers[values: .xForwardedFor].flatMap(xForwardedFor)]
    }

    private static func nearest(
        _ addresses: [IPAddress?], _ peer: IPAddress, _ isProxy: (IPAddress) -> Bool
    ) -> IPAddress {
        var client = peer
        for address in addresses.reversed() {
            // An unknown or hidden address: the proxy that added it stands for it.
            guard let address else { return client }
            client = address
            if !isProxy(address) { return client }
        }
        return client
    }

    /// The addresses in one field value; nil for one that is hidden or cannot be read.
    private static func xForwardedFor(_ value: String) -> [IPAddress?] {
        value.split(separator: ",", omittingEmptySubsequences: false).map { node(trimmed($0)) }
    }

    /// The addresses in one field value of `Forwarded` (RFC 7239 section 4).
    private static func forwarded(_ value: String) -> [IPAddress?] {
        split(value[...], at: ",").map { element in
            for pair in split(element, at: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1).map(trimmed)
                guard parts.count == 2, parts[0].lowercased() == "for" else { continue }
                return node(unquoted(parts[1]))
            }
            return nil
        }
    }

    /// An address with or without port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
    private static func node(_ text: Substring) -> IPAddress? {
        if text.first == "[" { return text.dropFirst().split(separator: "]").first.flatMap { IPAddress($0) } }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return IPAddress(parts.count == 2 ? parts[0] : text)
    }

    private static func unquoted(_ text: Substring) -> Substring {
        text.count >= 2 && text.first == "\"" && text.last == "\"" ? text.dropFirst().dropLast() : text
    }

    private static func trimmed(_ text: Substring) -> Substring {
        text.drop { $0.isWhitespace }.reversedDrop { $0.isWhitespace }
    }

    /// Splits at a separator outside quotes.
    private static func split(_ text: Substring, at separator: Character) -> [Substring] {
        var (parts, start, isQuoted) = ([Substring](), text.startIndex, false)
        for index in text.indices {
            if text[index] == "\"" { isQuoted.toggle() }
            guard text[index] == separator, !isQuoted else { continue }
            parts.append(text[start..<index])
            start = text.index(after: index)
        }
        return parts + [text[start...]]
    }
}

extension Substring {
    fileprivate func reversedDrop(while predicate: (Character) -> Bool) -> Substring {
        var text = self
        while let last = text.last, predicate(last) { text.removeLast() }
        return text
    }
}

extension HTTPField.Name {
    fileprivate static let forwarded = parsed("Forwarded")
    fileprivate static let xForwardedFor = parsed("X-Forwarded-For")
}
