internal import HTTPSignatures

/// An origin of web pages as browsers write it: `https://app.mybank.example` (RFC 6454 section 6.1).
package struct WebOrigin: Hashable, Sendable {
    package let text: String

    /// - Returns: nil unless it is https, or http on this machine as in tests, in lower case, with a host and at most a port. It has no
    ///   path. Browsers leave out a default port, so it has none.
    package init?(_ text: String) {
        let parts = text.split(separator: "://", omittingEmptySubsequences: false)
        guard parts.count == 2, let host = Authority(parts[1]), host.description == parts[1] else { return nil }
        let isOfThisMachine = ["localhost", "127.0.0.1"].contains(parts[1].prefix { $0 != ":" })
        guard parts[0] == "https" || parts[0] == "http" && isOfThisMachine else { return nil }
        self.text = text
    }
}
