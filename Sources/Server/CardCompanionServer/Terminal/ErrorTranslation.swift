package import Administration
internal import CardCompanion
internal import CardCompanionHTTP
internal import CardCompanionModel
internal import CardCompanionStore
internal import Cryptography
internal import EmbeddedPostgres
internal import HTTPSignatures
internal import KeyBlocks
internal import KeyVault

extension CommandError {
    /// Translates the errors of other modules for an operator. Others, such as usage errors, are returned unchanged.
    package static func wrapping(_ error: any Error) -> any Error {
        switch error {
        case let error as ServiceUnavailable: unavailable("\(error)")
        case let error as WrongClock: unavailable("\(error)")
        case let error as StoreError: store(error)
        case let error as EmbeddedPostgresError: unavailable("\(error)")
        case let error as SchemaError: configuration("\(error)")
        case let error as DataKeyInUse: refused("\(error)")
        case let error as OtherVaultInUse: refused("\(error)")
        case let error as RecoveryKeyExists: refused("\(error)")
        case let error as NoRecoveryKey: refused("\(error)")
        case let error as ForeignSeal: refused("\(error)")
        case let error as SealOfToken: refused("\(error)")
        case let error as ReplacedTrail: refused("\(error): \(error.remedy)")
        case let error as RestoredDatabase: refused("\(error)")
        case let error as RestoredVault: refused("\(error): \(error.remedy)")
        case let error as OtherSealFound: refused("\(error)")
        case let error as DamagedMark: refused("\(error)")
        case let error as InventoryFault: configuration("\(error): \(error.remedy)")
        case let error as DamagedBankInventory: refused("\(error)")
        case let error as TLSFileProblem: configuration("\(error)")
        case let error as FileHasOneKey: refused("\(error)")
        case let error as WrongComponents: badInput("\(error)")
        case let error as KeyVaultError: vault(error)
        case let error as NoOperatorRecord: configuration("\(error)")
        case let error as DamagedOperators: configuration("\(error)")
        case let error as ApprovalRefusal: refused("\(error)")
        case let error as SelfTest.Failure: unavailable("\(error)")
        case let error as CertificateError: badInput("\(error)")
        case let error as SignatureError: badInput("\(error)")
        case let error as KeyImportRefusal: refused("\(error)")
        case let error as KeyBlockError: badInput("the key block is refused: \(error)")
        case let error as InvalidComponent: badInput("\(error)")
        case let error as InvalidKey: refused("\(error)")
        case let error as PredictableKey:
            badInput("\(error). Draw a new one of this length: 'openssl rand -hex 32' draws 32 bytes")
        case let error as InvalidSetting: badInput("\(error)")
        default: error
        }
    }

    private static func vault(_ error: KeyVaultError) -> CommandError {
        switch error {
        case .vaultUnavailable, .vaultNeedsPIN: unavailable("\(error)")
        default: configuration("\(error)")
        }
    }

    private static func store(_ error: StoreError) -> CommandError {
        switch error {
        case .bankNotFound: notFound("\(error)")
        case .invalidConfiguration, .unreadable: configuration("\(error)")
        case _ where error.isTemporary: unavailable("\(error)")
        default: refused("\(error)")
        }
    }
}
