internal import Crypto
internal import Foundation

/// A cardholder as the bank provisions them.
package struct TestCardholder: Sendable {
    /// uniqueId; IdPorteur in a token.
    package var uniqueId: String
    /// The authentication code; nil provisions none.
    package var code: String?
    /// The PIN; nil provisions none.
    package var pin: String?
    /// ACTIVE, SUSPENDED or CLOSED; nil uses the server's default.
    package var status: String?
    /// AC and TOKEN; nil uses the server's default.
    package var channels: [String]?
    /// The bank's text for the cardholder.
    package var freeField: String?
    /// calm or text.
    package var accessibility: String?

    /// A cardholder with a unique id, a code and a PIN by default.
    package init(
        _ uniqueId: String = Unique.name("holder"), code: String? = "Code4711", pin: String? = "4917",
        status: String? = nil, channels: [String]? = nil, freeField: String? = nil,
        accessibility: String? = nil
    ) {
        self.uniqueId = uniqueId
        self.code = code
        self.pin = pin
        self.status = status
        self.channels = channels
        self.freeField = freeField
        self.accessibility = accessibility
    }

    /// The cardholder as a line of an import file.
    package func line(sealedTo key: SealingKey, of bankId: String) throws -> String {
        var members = try members(sealedTo: key, of: bankId)
        members["uniqueId"] = .string(uniqueId)
        return JSON.object(members).text
    }

    /// The cardholder as the body of a provisioning request.
    package func members(sealedTo key: SealingKey, of bankId: String) throws -> [String: JSON] {
        func sealed(_ text: String, _ contentType: String) throws -> JSON {
            .string(try key.seal(Array(text.utf8), SealedBinding(contentType, bankId: bankId, uniqueId: uniqueId)))
        }
        var members: [String: JSON] = [:]
        members["authenticationCode"] = try code.map { try sealed($0, "authenticationCode") }
        members["pin"] = try pin.map { try sealed($0, "pin") }
        members["status"] = status.map { .string($0) }
        members["channels"] = channels.map { .array($0.map { .string($0) }) }
        members["freeField"] = freeField.map { .string($0) }
        members["accessibility"] = accessibility.map { .string($0) }
        return members
    }
}

extension TestServer {
    /// The first EC key of the server's key set.
    package func sealingKey() async throws -> SealingKey {
        let keys = try await request("GET", "/.well-known/jwks.json").members["keys"]?.array ?? []
        let key = keys.compactMap(\.object).first { $0["kty"] == "EC" }
        return try SealingKey(jwk: key ?? [:])
    }
}
