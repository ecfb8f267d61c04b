/// A master key, which wraps data keys. The key itself is in the vault.
package struct MasterKeyRecord: Sendable {
    package let id: String
    package let kind: MasterKeyKind
    /// Where it is, for operators.
    package let name: String
    /// Of a recovery key: SubjectPublicKeyInfo, sealed.
    package let sealedPublicKey: [UInt8]?
    package let status: MasterKeyStatus
    package let createdAt: Timestamp

    package init(
        id: String, kind: MasterKeyKind, name: String, sealedPublicKey: [UInt8]? = nil,
        status: MasterKeyStatus = .active, createdAt: Timestamp
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.sealedPublicKey = sealedPublicKey
        self.status = status
        self.createdAt = createdAt
    }

    /// The same key with another status.
    package func with(status: MasterKeyStatus) -> MasterKeyRecord {
        MasterKeyRecord(
            id: id, kind: kind, name: name, sealedPublicKey: sealedPublicKey, status: status, createdAt: createdAt)
    }
}

/// The master key that a running server uses.
package struct ServerVaultRecord: Sendable {
    package let serverId: String
    package let masterKeyId: String
    package let seenAt: Timestamp

    package init(serverId: String, masterKeyId: String, seenAt: Timestamp) {
        self.serverId = serverId
        self.masterKeyId = masterKeyId
        self.seenAt = seenAt
    }
}
