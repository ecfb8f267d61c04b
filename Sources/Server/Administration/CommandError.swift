/// Why a command failed: for people, and as an exit status (sysexits.h) for scripts.
package struct CommandError: Error {
    package let message: String
    package let status: Int32

    /// The present state does not allow the command.
    package static func refused(_ message: String) -> CommandError { CommandError(message: message, status: 1) }
    /// The input is invalid (EX_DATAERR).
    package static func badInput(_ message: String) -> CommandError { CommandError(message: message, status: 65) }
    /// There is no such file, bank, key or cardholder (EX_NOINPUT).
    package static func notFound(_ message: String) -> CommandError { CommandError(message: message, status: 66) }
    /// The database or the vault is not available (EX_UNAVAILABLE).
    package static func unavailable(_ message: String) -> CommandError { CommandError(message: message, status: 69) }
    /// What the command was to write cannot be written (EX_IOERR).
    package static func notWritten(_ message: String) -> CommandError { CommandError(message: message, status: 74) }
    /// The configuration is wrong (EX_CONFIG).
    package static func configuration(_ message: String) -> CommandError { CommandError(message: message, status: 78) }
}
