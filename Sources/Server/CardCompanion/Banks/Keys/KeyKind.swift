package import CardCompanionModel
internal import KeyBlocks

/// What a key is: usage, algorithm and direction that belong together.
package struct KeyKind: Sendable, Equatable {
    package let usage: BankKeyUsage
    package let algorithm: BankKeyAlgorithm
    /// Nil for an HMAC key.
    package let direction: BankKeyDirection?

    /// The kind of a key as an operator describes it.
    ///
    /// - Parameters:
    ///   - algorithm: nil for an HMAC key.
    ///   - direction: nil for an HMAC key. For other keys, nil means `decrypt`.
    /// - Throws: ``InvalidSetting``.
    package init(
        usage: BankKeyUsage, algorithm: BankKeyAlgorithm? = nil, direction: BankKeyDirection? = nil
    ) throws(InvalidSetting) {
        if usage.hmac != nil {
            guard algorithm ?? .hmac == .hmac, direction == nil else {
                throw InvalidSetting(
                    description:
                        "--algorithm and --direction are not for a key of usage \(usage.rawValue), which is HMAC")
            }
            (self.usage, self.algorithm, self.direction) = (usage, .hmac, nil)
        } else if usage.isForHost {
            throw InvalidSetting(
                description:
                    "a key of usage \(usage.rawValue) comes in a key block, which says what it may do: use --tr31-file")
        } else {
            guard let algorithm, algorithm != .hmac else {
                throw InvalidSetting(
                    description: "--algorithm must be tdes or aes for a key of usage \(usage.rawValue)")
            }
            (self.usage, self.algorithm, self.direction) = (usage, algorithm, direction ?? .decrypt)
        }
    }

    /// The kind of a key as its key block describes it.
    ///
    /// - Parameters:
    ///   - usage: what the operator imports the key for. A key block cannot say which hashMacs a key is for.
    ///   - acceptsK0: whether the operator takes a key of usage K0 as one of K1.
    /// - Throws: ``InvalidSetting`` if the key block says something else.
    init(_ header: KeyBlockHeader, usage: BankKeyUsage, acceptsK0: Bool) throws(InvalidSetting) {
        switch (header.purpose, usage) {
        case (.messageAuthentication, .distribution), (.messageAuthentication, .definition),
            (.messageAuthentication, .both):
            try self.init(usage: usage)
        case (.pinEncryption(let direction), .pinEncryption), (.keyBlockProtection(let direction), .keyBlock):
            try self.init(
                usage: usage, algorithm: BankKeyAlgorithm(header.algorithm), direction: BankKeyDirection(direction))
        case (.keyEncryption(let direction), .keyBlock) where acceptsK0:
            try self.init(
                usage: usage, algorithm: BankKeyAlgorithm(header.algorithm), direction: BankKeyDirection(direction))
        case (.keyEncryption, .keyBlock):
            throw InvalidSetting(
                description:
                    "the key block says that its key is for \(header.purpose.name), not for key blocks only (K1): ask its "
                    + "owner for K1, or take it all the same with --accept-k0")
        case (.pinEncryption(.encrypt), .pinTranslation), (.visaPVV, .visaPVV), (.ibm3624, .ibm3624Offset):
            self.init(usage, BankKeyAlgorithm(header.algorithm), .encrypt)
        case (.pinEncryption, .pinTranslation):
            throw InvalidSetting(
                description:
                    "the key block's mode of use must be E for --usage pin-translation: a key that also decrypts could open what "
                    + "it has made")
        default:
            throw InvalidSetting(
                description:
                    "the key block says that its key is for \(header.purpose.name): it cannot be imported with "
                    + "--usage \(usage.rawValue)")
        }
    }

    private init(_ usage: BankKeyUsage, _ algorithm: BankKeyAlgorithm, _ direction: BankKeyDirection) {
        (self.usage, self.algorithm, self.direction) = (usage, algorithm, direction)
    }

    /// The kind of an import that is under way.
    init(_ record: KeyImportRecord) {
        (usage, algorithm, direction) = (record.usage, record.algorithm, record.direction)
    }
}

extension KeyPurpose {
    /// For people.
    fileprivate var name: String {
        switch self {
        case .pinEncryption: "PIN encryption (P0)"
        case .messageAuthentication: "HMAC (M7)"
        case .keyBlockProtection: "key block protection (K1)"
        case .keyEncryption: "key encryption of any kind (K0)"
        case .ibm3624: "PIN verification by IBM 3624 (V1)"
        case .visaPVV: "PIN verification by Visa PVV (V2)"
        }
    }
}

// The store does not know key blocks, so it has names of its own.

extension KeyAlgorithm {
    init(_ algorithm: BankKeyAlgorithm) {
        self =
            switch algorithm {
            case .hmac: .hmac
            case .tripleDES: .tripleDES
            case .aes: .aes
            }
    }
}

extension BankKeyAlgorithm {
    init(_ algorithm: KeyAlgorithm) {
        self =
            switch algorithm {
            case .hmac: .hmac
            case .tripleDES: .tripleDES
            case .aes: .aes
            }
    }
}

extension KeyDirection {
    init(_ direction: BankKeyDirection) {
        self =
            switch direction {
            case .decrypt: .decrypt
            case .encrypt: .encrypt
            case .both: .both
            }
    }
}

extension BankKeyDirection {
    init(_ direction: KeyDirection) {
        self =
            switch direction {
            case .decrypt: .decrypt
            case .encrypt: .encrypt
            case .both: .both
            }
    }
}
