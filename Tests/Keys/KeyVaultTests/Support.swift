import Cryptography
import Foundation
import KeyVault
import SecureMemory
import Testing

extension SecretBytes {
    /// The content. In a test it is not secret.
    var revealed: [UInt8] { withBytes { [UInt8]($0) } }
}

/// Creates a folder for one test, and removes it afterwards.
func withFolder<Result>(_ body: (_ path: String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "key-vault-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
}

/// A random data key.
func dataKey(
    _ id: Int32, key: [UInt8] = SecureRandom.bytes(count: 32), isActive: Bool = true, isCompromised: Bool = false
) -> Keyring.DataKey {
    Keyring.DataKey(
        id: id, key: SharedSecret(SecretBytes(copying: key)), isActive: isActive, isCompromised: isCompromised)
}

/// A keyring with one key for each purpose.
func keyring() throws -> Keyring {
    try Keyring(Keyring.Keys(dataKeys()))
}

/// One key for each purpose, with the ids from 1, except where others are given.
func dataKeys(_ others: [Keyring.Purpose: [Keyring.DataKey]] = [:]) -> [Keyring.Purpose: [Keyring.DataKey]] {
    let all = Keyring.Purpose.allCases.enumerated().map { ($1, [dataKey(Int32($0 + 1))]) }
    return Dictionary(uniqueKeysWithValues: all).merging(others) { $1 }
}
