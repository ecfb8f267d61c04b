internal import CardCompanionAPI
internal import Foundation

/// The server's base URL from the app. It must be HTTPS. Plain HTTP is allowed to this machine, or if the app allows
/// it.
struct HostURL {
    private let base: URL

    /// Parses `scheme://host[:port][/path]`.
    ///
    /// - Throws: 90000 if `text` has another form or its scheme is not allowed.
    init(_ text: String, allowsPlainHTTP: Bool) throws(SDKError) {
        guard let components = URLComponents(string: text), let host = components.host, !host.isEmpty,
            components.user == nil, components.password == nil, components.query == nil, components.fragment == nil,
            let base = components.url
        else {
            throw SDKError(.invalidInput, "hostUrl must have the form https://host[:port][/path]")
        }
        switch components.scheme?.lowercased() {
        case "https": break
        case "http" where allowsPlainHTTP || Self.isLoopback(host): break
        default: throw SDKError(.invalidInput, "hostUrl must start with https://")
        }
        self.base = base
    }

    /// The URL of a path from ``APIPath``.
    func url(_ path: String) -> URL {
        base.appendingPathComponent(String(path.drop { $0 == "/" }))
    }

    private static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
        let octets = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return octets.count == 4 && octets[0] == 127 && !octets.contains(nil)
    }
}
