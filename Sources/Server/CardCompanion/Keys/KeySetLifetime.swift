/// How long clients can cache the server's key set.
package enum KeySetLifetime {
    /// In seconds: `max-age` of its `Cache-Control`.
    package static let seconds: Int64 = 300
}
