/// Where a server is: `wss://HOST[:PORT]`, or `ws://…` on the same machine.
package struct ServerAddress: Sendable {
    /// Document 003, "WebSocket Endpoint".
    static let path = "/ws2/validate"
    private static let nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-."

    package let isSecure: Bool
    package let host: String
    package let port: Int

    package init(isSecure: Bool, host: String, port: Int) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }

    /// - Returns: nil if the text is not such a URL. A path must be that of document 003.
    package init?(_ url: String) {
        let parts = url.split(separator: "://", maxSplits: 1)
        guard parts.count == 2, ["ws", "wss"].contains(parts[0]) else { return nil }
        isSecure = parts[0] == "wss"
        let rest = parts[1]
        let authority = rest.prefix { $0 != "/" }
        guard ["", "/", Self.path].contains(String(rest.dropFirst(authority.count))) else { return nil }
        // The host of IPv6 is in brackets, and has colons itself.
        let hostEnd = authority.lastIndex(of: "]").map(authority.index(after:)) ?? authority.firstIndex(of: ":")
        let name = authority[..<(hostEnd ?? authority.endIndex)]
        let portText = authority[name.endIndex...]
        let isBracketed = name.first == "[" && name.last == "]"
        host = String(isBracketed ? name.dropFirst().dropLast() : name)
        let allowed = isBracketed ? "abcdefABCDEF0123456789:." : Self.nameCharacters
        guard !host.isEmpty, host.allSatisfy(allowed.contains) else { return nil }
        guard !portText.isEmpty else {
            port = isSecure ? 443 : 80
            return
        }
        guard portText.first == ":", let number = UInt16(portText.dropFirst()), number > 0 else { return nil }
        port = Int(number)
    }

    /// For the field Host.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    var isIPAddress: Bool { host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." } }
}
