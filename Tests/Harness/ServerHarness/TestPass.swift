internal import CardCompanion
internal import CardCompanionModel
internal import Cryptography
internal import Synchronization

extension TestInstallation {
    /// The statement that gives a cardholder a pass an hour ago, as a session of document verification does at its end.
    ///
    /// - Parameter seconds: after how many seconds from now it expires.
    package func passStatement(for uniqueId: String, of bankId: String, seconds: Int = 900) async throws -> String {
        let made = Mutex<String?>(nil)
        _ = try await makes(for: bankId) { setup, bankId in
            let statement = try await setup.passStatement(for: uniqueId, of: bankId, seconds: seconds)
            made.withLock { $0 = statement }
        }
        return try made.withLock(\.self).orThrow(SetupFailed(description: "a pass of '\(uniqueId)'"))
    }
}

extension DirectSetup {
    private static let ageSeconds: Int64 = 3600

    fileprivate func passStatement(for uniqueId: String, of bankId: Identifier, seconds: Int) async throws -> String {
        guard let holder = Identifier(uniqueId) else { throw SetupFailed(description: "no identifier: '\(uniqueId)'") }
        let now = Timestamp(seconds: clock.now().seconds - Self.ageSeconds)
        let pass = try await withKeyring { keyring in
            try IdentityPasses(store: store, keyring: keyring).make(
                bankId: bankId, uniqueId: holder, validation: .validation("a test's check"), at: now,
                lifetimeSeconds: Int(Self.ageSeconds) + seconds)
        }
        return """
            INSERT INTO identity_pass (bank_id, unique_id, validation_digest, passed_at, expires_at, mac) VALUES (
                '\(bankId)', '\(uniqueId)', '\\x\(Hex.encode(pass.validation.bytes))',
                to_timestamp(\(pass.passedAt.seconds)), to_timestamp(\(pass.expiresAt.seconds)),
                '\\x\(Hex.encode(pass.mac))')
            """
    }
}
