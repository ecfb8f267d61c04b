package import Administration
internal import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore

/// `server-key rotate`.
package struct RotateServerKeys: Change {
    package static let command = "server-key rotate"
    package static let writesInventory = true

    let kinds: [ServerKeyKind]

    package init(kinds: [ServerKeyKind]) {
        self.kinds = kinds
    }

    package var bankId: Identifier? { nil }
    package var subject: String? { kinds.map(\.rawValue).joined(separator: ", ") }

    package func details(in installation: Installation) async throws -> [String] { ["new keys: \(subject ?? "")"] }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        let made = try await installation.withDataKeys { dataKeys in
            let keyring = try await dataKeys.opened()
            var made: [String] = []
            for kind in kinds {
                let keyId = try await ServerKeys.rotate(kind, with: keyring, of: dataKeys)
                guard let keyId else {
                    throw CommandError.refused(
                        "another rotation has just created a key: see 'card-companion server-key list'")
                }
                made.append(keyId)
            }
            try await dataKeys.report(keyring)
            return made
        }
        return Shown(
            text: "new keys: \(made.joined(separator: ", ")); running servers publish them within "
                + "\(KeyRefresh.intervalSeconds) seconds",
            json: ["keyIds": made])
    }
}

/// `server-key retire`.
package struct RetireServerKey: Change {
    package static let command = "server-key retire"
    package static let writesInventory = true

    let keyId: String
    let force: Bool
    let erase: Bool

    package init(keyId: String, force: Bool, erase: Bool) {
        self.keyId = keyId
        self.force = force
        self.erase = erase
    }

    package var bankId: Identifier? { nil }
    package var subject: String? { keyId }

    package func details(in installation: Installation) async throws -> [String] {
        ["key \(keyId) is \(erase ? "erased" : "retired")\(force ? ", even if apps still have it" : "")"]
    }

    package func requirePossible(in installation: Installation) async throws {
        _ = try await retirableKey(in: installation)
    }

    private func retirableKey(in installation: Installation) async throws -> ServerKeyRecord {
        let keys = try await installation.store.serverKeys()
        guard let key = keys.first(where: { $0.keyId == keyId }) else {
            throw CommandError.notFound("there is no key '\(keyId)': see 'card-companion server-key list'")
        }
        guard let demotedAt = key.demotedAt else {
            throw CommandError.refused("the key is the active one: rotate first")
        }
        let age = installation.clock.now().seconds - demotedAt.seconds
        // A server can publish the old set until it reloads, and an app can cache it after that.
        let wait = KeySetLifetime.seconds + Int64(KeyRefresh.intervalSeconds)
        guard force || age >= wait else {
            throw CommandError.refused(
                "the key was replaced \(age) seconds ago, and apps can have it in their key sets for \(wait) "
                    + "seconds: wait, or use --force")
        }
        guard key.sealedKey != nil, erase || key.retiredAt == nil else { throw isRetired(key) }
        return key
    }

    private func isRetired(_ key: ServerKeyRecord) -> CommandError {
        .refused("the key is already \(key.sealedKey == nil ? "erased" : "retired")")
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        let key = try await retirableKey(in: installation)
        let isChanged = try await installation.withDataKeys { dataKeys in
            try await ServerKeys.retire(key, erases: erase, with: try await dataKeys.opened(), of: dataKeys)
        }
        guard isChanged else { throw isRetired(key) }
        return Shown(text: "\(erase ? "erased" : "retired") '\(keyId)'", json: ["keyId": keyId])
    }
}
