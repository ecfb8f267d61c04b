import ArgumentParser
import CardCompanion
import CardCompanionStore
import Cryptography
import EmbeddedPostgres
import HTTPSignatures
import KeyVault
import PostgresLibPQ

/// Why a command did not do what it was asked: for people, and as an exit status (sysexits.h) for scripts.
struct CommandError: Error {
    let message: String
    let status: Int32

    /// What was asked for cannot be done with what there is.
    static func refused(_ message: String) -> CommandError { CommandError(message: message, status: 1) }
    /// What was given is not of the form that is needed (EX_DATAERR).
    static func badInput(_ message: String) -> CommandError { CommandError(message: message, status: 65) }
    /// A file or a thing of that name is not there (EX_NOINPUT).
    static func notFound(_ message: String) -> CommandError { CommandError(message: message, status: 66) }
    /// The database or the vault is out of reach (EX_UNAVAILABLE).
    static func unavailable(_ message: String) -> CommandError { CommandError(message: message, status: 69) }
    /// The configuration is wrong (EX_CONFIG).
    static func configuration(_ message: String) -> CommandError { CommandError(message: message, status: 78) }

    /// The errors of the modules below, as an operator needs them; others, such as usage errors, are left as they are.
    static func wrapping(_ error: any Error) -> any Error {
        switch error {
        case let error as ServiceUnavailable: unavailable("\(error)")
        case let error as PostgresError where error.isUnavailable:
            unavailable("the database is out of reach: \(error)")
        case let error as PostgresError where error.sqlState == .foreignKeyViolation:
            notFound("there is no such bank")
        case let error as PostgresError: refused("the database refused: \(error)")
        case let error as EmbeddedPostgresError: unavailable("\(error)")
        case let error as MigrationError: configuration("\(error)")
        case let error as KeyVaultError: configuration("\(error)")
        case let error as CertificateError: badInput("\(error)")
        case let error as SignatureError: badInput("\(error)")
        case let error as InvalidSetting: badInput("\(error)")
        default: error
        }
    }
}
