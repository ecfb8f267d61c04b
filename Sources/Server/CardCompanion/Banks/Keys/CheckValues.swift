internal import KeyBlocks

/// The check values of a key or a component, in hex, which people compare with their paper.
package struct CheckValues: Sendable, Equatable, CustomStringConvertible {
    /// The one that the server shows everywhere.
    package let usual: String
    /// Of an AES key: the first bytes of a zero block encrypted, which some programs show.
    package let encryptedZeros: String?

    /// - Parameter values: not empty.
    init(_ values: [KeyCheckValue]) {
        usual = values[0].description
        encryptedZeros = values.dropFirst().first { $0.method == .encryptedZeros }?.description
    }

    /// For people.
    package var description: String {
        usual + (encryptedZeros.map { " (CMAC; a zero block encrypted gives \($0))" } ?? "")
    }
}
