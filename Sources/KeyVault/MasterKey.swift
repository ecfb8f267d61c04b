public import SecureMemory

/// The key at the root: it wraps data keys and does nothing else. It may lie in a file or in hardware.
public protocol MasterKey: Sendable {
    /// Names the key without telling anything of it, so that a wrong vault is recognised.
    var id: String { get }

    /// Wraps a data key (RFC 3394).
    func wrap(_ dataKey: borrowing SecretBytes) throws(KeyVaultError) -> [UInt8]

    /// Unwraps a data key; nil where it does not authenticate.
    func unwrap(_ wrapped: [UInt8]) -> SecretBytes?
}
