package import SecureMemory

/// The root key. It only wraps data keys. It can be stored in a file or in hardware.
package protocol MasterKey: Sendable {
    /// Identifies the key without revealing anything about it, so that a wrong vault is detected.
    var id: String { get }

    /// Wraps a data key (RFC 3394).
    func wrap(_ dataKey: borrowing SecretBytes) throws(KeyVaultError) -> [UInt8]

    /// Unwraps a data key; nil if it does not authenticate.
    func unwrap(_ wrapped: [UInt8]) -> SecretBytes?
}
