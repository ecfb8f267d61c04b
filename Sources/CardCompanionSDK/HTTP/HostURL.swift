internal import CardCompanionAPI
internal import Foundation

/// The server's address, as the app gives it: https, or plain http to this machine or where the app allows it.
struct HostURL {
    private let base: URL

    /// Reads `scheme://host[:port][/path]` (90000).
    init(_ text: String, allowsPlainHTTP: Bool) throws(SDKError) {
        guard let components = URLComponents(string: text), let host = components.host, !host.isEmpty,
            components.user == nil, components.password == nil, components.query == nil, components.fragment == nil,
            let base = components.url
        else {
            throw SDKError(.invalidInput, "hostUrl is not the address of a server")
        }
        switch components.scheme?.lowercased() {
        case "https": break
        case "http" where allowsPlainHTTP || Self.isLoopback(host): break
        default: throw SDKError(.invalidInput, "hostUrl is not an https address")
        }
        self.base = base
    }

    /// The address of one of ``APIPath``.
    func url(_ path: String) -> URL {
        base.appendingPathComponent(String(path.drop { $0 == "/" }))
    }

    private static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
        let octets = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return octets.count == 4 && octets[0] == 127 && !octets.contains(nil)
    }
}
