import ServerHarness

/// The public keys that a server publishes.
struct ServerKeySet: Sendable {
    struct Key: Sendable {
        let id: String
        let members: [String: JSON]

        /// A base64url member, for example a coordinate, a modulus or an exponent.
        func bytes(_ name: String) -> [UInt8] {
            members[name]?.string.flatMap(Base64URL.decode) ?? []
        }
    }

    /// The key set has no key of the requested kind.
    struct Missing: Error {}

    let keys: [Key]

    init(of server: TestServer) async throws {
        let published = try await server.request("GET", "/.well-known/jwks.json").members["keys"]?.array ?? []
        keys = published.compactMap(\.object).map { Key(id: $0["kid"]?.string ?? "", members: $0) }
    }

    /// The key to which new values must be sealed: the first of its kind.
    func first(_ kind: SealingKind) throws -> Key {
        guard let key = keys.first(where: { $0.members["kty"]?.string == kind.keyType }) else { throw Missing() }
        return key
    }
}
