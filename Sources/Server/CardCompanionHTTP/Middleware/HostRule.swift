internal import HTTPTypes
internal import Hummingbird

/// A request that names more than one host is refused (RFC 9112 section 3.2, RFC 9113 section 8.3.1): a proxy in front could have gone
/// by the other name.
enum HostRule {
    static var refusal: Problem {
        Problem(.badRequest, "The request must have one Host field, and the same name in :authority if it has that.")
    }

    /// The first Host field of HTTP/1.1 is the authority, and not among the fields. In HTTP/2 the authority is `:authority`.
    static func hasOneHost(_ head: HTTPRequest, isStream: Bool) -> Bool {
        let hosts = head.headerFields[values: .host]
        guard isStream else { return hosts.isEmpty }
        guard let host = hosts.first else { return true }
        return hosts.count == 1 && (head.authority.map { $0.lowercased() == host.lowercased() } ?? true)
    }
}

extension HTTPField.Name {
    static let host = parsed("Host")
}
