package import CardCompanionStore
internal import Cryptography
package import KeyVault

extension Keyring {
    /// Opens the data keys of a database with the master key of the vault. The first server of a database creates them.
    ///
    /// - Throws: `KeyVaultError` if vault and database do not belong together, `StoreError`.
    package static func opened(
        with masterKey: any MasterKey, in store: Store, clock: WallClock
    ) async throws -> Keyring {
        var records = try await store.dataKeys()
        let missing = DataKeyPurpose.allCases.filter { purpose in
            !records.contains { $0.purpose == purpose && $0.isActive }
        }
        // Another vault must not add its own keys to a database that is in use.
        if let foreign = records.first(where: { $0.masterKeyId != masterKey.id }) {
            throw KeyVaultError.foreignMasterKey(dataKeyId: foreign.id)
        }
        for purpose in missing {
            let wrapped = try masterKey.wrap(SecureRandom.secret(count: Keyring.keyByteCount))
            try await store.insertDataKey(
                purpose: purpose, wrappedKey: wrapped, masterKeyId: masterKey.id, now: clock.now())
        }
        if !missing.isEmpty { records = try await store.dataKeys() }
        return try Keyring(
            sealing: records.wrapped(.seal), authenticating: records.wrapped(.authenticate),
            handingOut: records.wrapped(.handOut), masterKey: masterKey)
    }
}

extension [DataKeyRecord] {
    fileprivate func wrapped(_ purpose: DataKeyPurpose) -> [Keyring.WrappedKey] {
        filter { $0.purpose == purpose }.map {
            Keyring.WrappedKey(id: $0.id, bytes: $0.wrappedKey, masterKeyId: $0.masterKeyId, isActive: $0.isActive)
        }
    }
}
