package import PKCS11

/// Where the master key is, and how a server behaves without it.
package struct VaultSettings: Sendable {
    package let file: String
    /// Nil if the master key is in the file.
    package let token: Token.Address?
    package let pinFile: String?
    let graceSeconds: Int
    package let socket: String

    /// For people.
    package var name: String { token.map { "token '\($0.label)'" } ?? file }

    init(_ reader: inout SettingsReader, dataDirectory: String, absolute: (String) -> String) {
        file = absolute(reader.textIfAny(.vaultFile) ?? "\(dataDirectory)/vault.key")
        pinFile = reader.textIfAny(.vaultPINFile).map(absolute)
        graceSeconds = reader.integer(.vaultGrace)
        socket = absolute(reader.textIfAny(.vaultSocket) ?? "\(dataDirectory)/vault.sock")
        switch (reader.textIfAny(.vaultModule), reader.textIfAny(.vaultToken)) {
        case (let module?, let label?): token = Token.Address(modulePath: absolute(module), label: label)
        case (nil, nil): token = nil
        default:
            token = nil
            reader.note("only one of vault.module and vault.token is set: set both")
        }
        if token == nil, pinFile != nil {
            reader.note("vault.pin.file is set, but vault.module and vault.token are not: set all three")
        }
        if token != nil, reader.textIfAny(.vaultFile) != nil {
            reader.note("vault.file and vault.module are both set: the master key is either in a file or on a token")
        }
    }
}
