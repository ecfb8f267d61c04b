/// A data key, without its wrappings.
package struct DataKeyRecord: Sendable {
    /// Every value that was made with the key contains it.
    package let id: Int32
    package let purpose: DataKeyPurpose
    /// The key before this one; nil for the first one of its purpose.
    package let replaces: Int32?
    package let state: DataKeyState
    /// When servers begin to make new values with it.
    package let activeFrom: Timestamp
    /// How many values were sealed with it, as far as servers have reported it.
    package let uses: Int64
    package let createdAt: Timestamp

    package init(
        id: Int32, purpose: DataKeyPurpose, replaces: Int32?, state: DataKeyState, activeFrom: Timestamp, uses: Int64,
        createdAt: Timestamp
    ) {
        self.id = id
        self.purpose = purpose
        self.replaces = replaces
        self.state = state
        self.activeFrom = activeFrom
        self.uses = uses
        self.createdAt = createdAt
    }

    /// The same key in another state.
    package func with(state: DataKeyState, activeFrom: Timestamp) -> DataKeyRecord {
        DataKeyRecord(
            id: id, purpose: purpose, replaces: replaces, state: state, activeFrom: activeFrom, uses: uses,
            createdAt: createdAt)
    }
}

/// A data key, wrapped by a master key.
package struct DataKeyWrapping: Sendable {
    package let dataKeyId: Int32
    package let masterKeyId: String
    package let wrappedKey: [UInt8]

    package init(dataKeyId: Int32, masterKeyId: String, wrappedKey: [UInt8]) {
        self.dataKeyId = dataKeyId
        self.masterKeyId = masterKeyId
        self.wrappedKey = wrappedKey
    }
}
