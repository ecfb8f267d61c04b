internal import Foundation

/// What the audit trail says of a URL. The rest of it can be a secret.
enum URLHost {
    static func of(_ url: String) -> String { URLComponents(string: url)?.host ?? "a URL without a host" }
}
