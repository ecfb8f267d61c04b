package import CardCompanion
internal import Foundation

/// The URL of a bank's server, for webhooks or results: https, or http if it may point into a private network.
package struct WebhookURL: Sendable, Equatable {
    /// The longest URL, in bytes. The schema has the same limit.
    static let byteLimit = 2000

    package let text: String
    /// `https` or `http`.
    let scheme: String
    package let host: String
    let port: Int
    /// Path and query.
    let target: String

    /// As in `Host`, and in `@authority` (RFC 9421 section 2.2.3): without the default port.
    var authority: String {
        let isDefault = port == (scheme == "https" ? 443 : 80)
        return isDefault ? host.lowercased() : "\(host.lowercased()):\(port)"
    }

    /// - Parameter isPrivate: whether the URL may point into a private network.
    /// - Throws: `InvalidSetting`.
    package init(_ text: String, isPrivate: Bool) throws(InvalidSetting) {
        // Foundation would escape other characters, and so accept them.
        guard text.utf8.count <= Self.byteLimit, text.wholeMatch(of: Self.characters) != nil,
            let url = URLComponents(string: text)
        else {
            throw InvalidSetting(
                description: "the URL must have at most \(Self.byteLimit) characters of RFC 3986, and no spaces")
        }
        guard let scheme = url.scheme, scheme == "https" || (scheme == "http" && isPrivate) else {
            throw InvalidSetting(
                description: "the URL must start with https:// (http:// only with --allow-private)")
        }
        guard url.user == nil, url.password == nil, url.fragment == nil else {
            throw InvalidSetting(description: "the URL must not have a user or a fragment")
        }
        guard let host = url.percentEncodedHost, !host.isEmpty, !host.contains(where: { ":[]%".contains($0) })
        else { throw InvalidSetting(description: "the URL's host must be a name or an IPv4 address") }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        guard 1...65_535 ~= port, !Self.hasEmptyPort(text) else {
            throw InvalidSetting(description: "the URL's port must be between 1 and 65535")
        }
        self.text = text
        self.scheme = scheme
        self.host = host
        self.port = port
        let path = url.percentEncodedPath
        target = (path.isEmpty ? "/" : path) + (url.percentEncodedQuery.map { "?\($0)" } ?? "")
    }

    nonisolated(unsafe) private static let characters =
        /(?:[A-Za-z0-9\-._~:\/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*/

    /// RFC 3986 allows a colon without a port after the host.
    private static func hasEmptyPort(_ text: String) -> Bool {
        text.wholeMatch(of: /[a-z]+:\/\/[^\/?#]*:(?:[\/?#].*)?/) != nil
    }
}
