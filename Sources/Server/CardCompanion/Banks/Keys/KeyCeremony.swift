package import CardCompanionModel
package import CardCompanionStore
internal import KeyBlocks
package import KeyVault
package import SecureMemory

/// The import of a key in components: each custodian enters one, and then a second operator confirms the key's check value
/// (PCI PIN, requirement 12: dual control and split knowledge).
package struct KeyCeremony: Sendable {
    /// All other components and the confirmation must follow the first component within this time. Components are not sealed
    /// again when data keys are replaced, so this must be a day at most (see `DataKeys`).
    package static let lifetimeSeconds: Int64 = 86_400
    /// The most characters of a component that is typed, with blanks.
    package static let componentCharacterLimit = 4 * SymmetricKey.byteCountLimit

    /// What a custodian sees of their component.
    package struct Entry: Sendable, Equatable {
        package let componentKCV: CheckValues
        /// How many components are in.
        package let entered: Int
        /// The key's check values, once all components are in.
        package let keyKCV: CheckValues?
        package let expiresAt: Timestamp
    }

    private let bankId: Identifier
    private let label: String
    private let store: Store
    private let keyring: Keyring
    private let now: Timestamp

    package init(bankId: Identifier, label: String, store: Store, keyring: Keyring, now: Timestamp) {
        self.bankId = bankId
        self.label = label
        self.store = store
        self.keyring = keyring
        self.now = now
    }

    /// Takes a custodian's component. The first one begins the import.
    ///
    /// - Parameters:
    ///   - hex: the component. It can have blanks.
    ///   - count: how many components the key has.
    ///   - operatorName: who enters it.
    ///   - needsTwo: whether one person may not enter all components.
    /// - Throws: ``InvalidSetting``, `InvalidComponent`, `PredictableKey`, ``KeyImportRefusal``, `StoreError`, `KeyVaultError`.
    package func enter(
        _ hex: borrowing SecretBytes, of kind: KeyKind, count: Int, by operatorName: String, needsTwo: Bool
    ) async throws -> Entry {
        guard let bytes = HexText.grouped(hex) else {
            throw InvalidSetting(description: "the component must be in hex")
        }
        let component = try KeyComponent(KeyAlgorithm(kind.algorithm), bytes)
        // Somebody who guesses it knows the key together with the other custodian.
        try PredictableKey.requireRandom(component.secret.bytes)
        guard try await !store.hasKey(bankId: bankId, label: label) else { throw KeyImportRefusal.labelTaken(label) }
        let begun = KeyImportRecord(
            label: label, usage: kind.usage, algorithm: kind.algorithm, direction: kind.direction,
            componentCount: count, begunBy: operatorName, expiresAt: now.advanced(bySeconds: Self.lifetimeSeconds))
        try await store.beginKeyImport(begun, bankId: bankId, now: now)
        let (current, others, custodians) = try await components()
        guard KeyKind(current) == kind, current.componentCount == count else {
            throw KeyImportRefusal.otherImport(label)
        }
        guard others.count < count else { throw KeyImportRefusal.complete(label) }
        let isLast = others.count + 1 == count
        guard !needsTwo || !isLast || custodians.contains(where: { $0 != operatorName }) else {
            throw KeyImportRefusal.sameCustodian
        }
        try component.requireFit(with: others)
        let entered = others + [component]
        let key = isLast ? try await newKey(of: entered, kind) : nil
        try await add(component, number: entered.count, by: operatorName)
        return Entry(
            componentKCV: CheckValues(component.checkValues), entered: entered.count, keyKCV: key?.checkValues,
            expiresAt: current.expiresAt)
    }

    /// Makes the key of all components active.
    ///
    /// - Parameter kcv: the key's check value, as the second operator has it on paper. Programs show more or fewer digits of it,
    ///   and for AES there are two methods: any of them confirms the key.
    /// - Returns: the key.
    /// - Throws: `InvalidComponent`, ``KeyImportRefusal``, `StoreError`, `KeyVaultError`.
    package func confirm(kcv: String, by operatorName: String) async throws -> ImportedKey {
        let (current, key) = try await complete(kcv: kcv)
        // No one may confirm an import that they began.
        guard !operatorName.isEmpty, current.begunBy != operatorName else { throw KeyImportRefusal.sameOperator }
        switch try await key.add(to: bankId, label: label, in: store, keyring: keyring, now: now) {
        case .added: return key
        case .labelTaken: throw KeyImportRefusal.labelTaken(label)
        case .keyTaken: throw KeyImportRefusal.keyTaken
        }
    }

    /// The key of all components, before it is active.
    ///
    /// - Throws: as ``confirm(kcv:by:)``.
    package func key(kcv: String) async throws -> ImportedKey { try await complete(kcv: kcv).key }

    /// - Throws: as ``confirm(kcv:by:)``, if the key cannot become active.
    package func requireConfirmable(kcv: String) async throws {
        try await key(kcv: kcv).requireNew(bankId: bankId, label: label, in: store, keyring: keyring)
    }

    private func complete(kcv: String) async throws -> (current: KeyImportRecord, key: ImportedKey) {
        let (current, components, _) = try await components()
        guard components.count == current.componentCount else {
            throw KeyImportRefusal.incomplete(entered: components.count, count: current.componentCount)
        }
        let key = ImportedKey(try KeyComponent.key(of: components), KeyKind(current))
        guard key.has(try Self.checkValue(kcv)) else { throw KeyImportRefusal.otherCheckValue }
        return (current, key)
    }

    /// Refuses a text that is no check value. It could be a key or a component, which no audit trail may have.
    ///
    /// - Throws: ``InvalidSetting``.
    package static func requireCheckValue(_ text: String) throws(InvalidSetting) { _ = try checkValue(text) }

    private static func checkValue(_ text: String) throws(InvalidSetting) -> ShownCheckValue {
        guard let shown = ShownCheckValue(text) else {
            throw InvalidSetting(description: "--kcv must be a check value: 6, 8 or 10 hex digits")
        }
        return shown
    }

    private func components() async throws -> (KeyImportRecord, [KeyComponent], custodians: [String]) {
        guard let (current, records) = try await store.keyImport(bankId: bankId, label: label, now: now) else {
            throw KeyImportRefusal.unknown(label)
        }
        let components = try records.map { record in
            let place = SealedPlace.keyComponent(bankId: bankId, label: label, number: record.number)
            return try KeyComponent(
                KeyAlgorithm(current.algorithm), try keyring.open(record.sealedComponent, in: place))
        }
        return (current, components, records.map(\.enteredBy))
    }

    /// Refuses components of a weak key, or of a key that exists already.
    private func newKey(of components: [KeyComponent], _ kind: KeyKind) async throws -> ImportedKey {
        let joined = try KeyComponent.key(of: components)
        try PredictableKey.requireRandom(joined.secret.bytes)
        let key = ImportedKey(joined, kind)
        guard try await !key.isTaken(bankId: bankId, label: label, in: store, keyring: keyring) else {
            throw KeyImportRefusal.keyTaken
        }
        return key
    }

    private func add(_ component: KeyComponent, number: Int, by custodian: String) async throws {
        let place = SealedPlace.keyComponent(bankId: bankId, label: label, number: number)
        let record = KeyComponentRecord(
            number: number, sealedComponent: try keyring.seal(component.secret.bytes, in: place), enteredBy: custodian)
        guard try await store.insertKeyComponent(record, bankId: bankId, label: label) else {
            throw KeyImportRefusal.overtaken
        }
    }
}
