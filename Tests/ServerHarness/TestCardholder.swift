internal import Crypto
internal import Foundation

/// A cardholder as a bank provisions them.
public struct TestCardholder: Sendable {
    /// uniqueId, IdPorteur.
    public var uniqueId: String
    /// The authentication code; nil provisions none.
    public var code: String?
    /// The PIN; nil provisions none.
    public var pin: String?
    /// ACTIVE, SUSPENDED, CLOSED; nil leaves it to the server.
    public var status: String?
    /// AC, TOKEN; nil leaves it to the server.
    public var channels: [String]?
    /// The bank's text to the cardholder.
    public var freeField: String?

    /// A cardholder with a code and a PIN, and a name of its own unless one is given.
    public init(
        _ uniqueId: String = Unique.name("holder"), code: String? = "Code4711", pin: String? = "4917",
        status: String? = nil, channels: [String]? = nil, freeField: String? = nil
    ) {
        self.uniqueId = uniqueId
        self.code = code
        self.pin = pin
        self.status = status
        self.channels = channels
        self.freeField = freeField
    }

    /// The line of an import.
    public func line(sealedTo key: SealingKey) throws -> String {
        var members = try members(sealedTo: key)
        members["uniqueId"] = .string(uniqueId)
        return JSON.object(members).text
    }

    /// The body of a provisioning request.
    public func members(sealedTo key: SealingKey) throws -> [String: JSON] {
        var members: [String: JSON] = [:]
        members["authenticationCode"] = try code.map { .string(try key.seal(Array($0.utf8))) }
        members["pin"] = try pin.map { .string(try key.seal(Array($0.utf8))) }
        members["status"] = status.map { .string($0) }
        members["channels"] = channels.map { .array($0.map { .string($0) }) }
        members["freeField"] = freeField.map { .string($0) }
        return members
    }
}

extension TestServer {
    /// The server's EC key, as its key set shows it.
    public func sealingKey() async throws -> SealingKey {
        let keys = try await request("GET", "/.well-known/jwks.json").members["keys"]?.array ?? []
        let key = keys.compactMap(\.object).first { $0["kty"] == "EC" }
        return try SealingKey(jwk: key ?? [:])
    }
}
