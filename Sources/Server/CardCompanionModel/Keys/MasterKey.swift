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

/// What a running server uses.
package struct ServerVaultRecord: Sendable {
    package let serverId: String
    /// Host and process id, for people.
    package let serverName: String
    package let masterKeyId: String
    /// The newest version that it has; 0 if there is none.
    package let inventoryVersion: Int64
    package let seenAt: Timestamp

    package init(
        serverId: String, serverName: String, masterKeyId: String, inventoryVersion: Int64, seenAt: Timestamp
    ) {
        self.serverId = serverId
        self.serverName = serverName
        self.masterKeyId = masterKeyId
        self.inventoryVersion = inventoryVersion
        self.seenAt = seenAt
    }
}
