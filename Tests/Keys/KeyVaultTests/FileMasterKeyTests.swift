import Foundation
import KeyVault
import SecureMemory
import Testing

@Suite("Master key file")
struct FileMasterKeyTests {
    @Test("A new file has mode 0600, and reading it gives the same key")
    func creation() async throws {
        let (made, read) = try withFolder { folder in
            let path = "\(folder)/vault.key"
            let made = try FileMasterKey.create(path: path)
            #expect(try mode(of: path) == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["vault.key"], "a draft is left")
            let read = try FileMasterKey(path: path)
            return (made, read)
        }
        #expect(read.id == made.id)
        let key = SharedSecret(SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
        let name = DataKeyName(id: 4, purpose: "pins")
        let wrapped = try await made.wrap(key, as: name)
        #expect(try await read.unwrap(wrapped, as: name).bytes.revealed == [UInt8](repeating: 7, count: 32))
        for other in [DataKeyName(id: 5, purpose: "pins"), DataKeyName(id: 4, purpose: "keypads")] {
            await #expect(throws: KeyVaultError.damagedDataKey(id: other.id)) {
                _ = try await read.unwrap(wrapped, as: other)
            }
        }
    }

    @Test("An existing file is never overwritten")
    func noOverwriting() throws {
        try withFolder { folder in
            let path = "\(folder)/vault.key"
            let first = try FileMasterKey.create(path: path)
            let before = try Data(contentsOf: URL(filePath: path))
            #expect(try FileMasterKey.create(path: path).id == first.id)
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test("If many create the file at the same time, all get the same key")
    func race() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "key-vault-race-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "vault.key").path
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try FileMasterKey.create(path: path).id } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["vault.key"])
    }

    @Test("The id is different for each key, and is not part of the file")
    func ids() throws {
        try withFolder { folder in
            let (first, second) = (
                try FileMasterKey.create(path: "\(folder)/1"), try FileMasterKey.create(path: "\(folder)/2")
            )
            #expect(first.id != second.id)
            let text = try String(contentsOfFile: "\(folder)/1", encoding: .utf8)
            #expect(!text.contains(first.id))
        }
    }

    @Test("A file with access for others is refused", arguments: [0o644, 0o640, 0o604, 0o660, 0o610, 0o601, 0o622])
    func wideMode(_ mode: Int) throws {
        try withFolder { folder in
            let path = "\(folder)/vault.key"
            _ = try FileMasterKey.create(path: path)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let error = #expect(throws: KeyVaultError.self) { _ = try FileMasterKey(path: path) }
            let text = try #require(error).description
            #expect(text.contains(path))
            #expect(text.contains("0" + String(mode, radix: 8)))
            #expect(text.contains("chmod"))
        }
    }

    private static let noKeys: [String] = [
        "", "\n", header, header + "ab".repeated(31), header + "ab".repeated(33), header + "zz".repeated(32),
        "card-companion-master-key-2:" + "ab".repeated(32), "ab".repeated(32), "\u{0}".repeated(100),
    ]
    private static let header = "card-companion-master-key-1:"

    @Test("A file without a master key is refused", arguments: noKeys)
    func garbage(_ text: String) throws {
        try withFolder { folder in
            let path = "\(folder)/vault.key"
            let isMade = FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
            try #require(isMade)
            #expect(throws: KeyVaultError.unusableFile(path: path, reason: "it does not contain a master key")) {
                _ = try FileMasterKey(path: path)
            }
        }
    }

    @Test("A file that is too long is refused")
    func tooLong() throws {
        try withFolder { folder in
            let path = "\(folder)/vault.key"
            let isMade = FileManager.default.createFile(
                atPath: path, contents: Data((Self.header + "ab".repeated(500)).utf8),
                attributes: [.posixPermissions: 0o600])
            try #require(isMade)
            #expect(throws: KeyVaultError.unusableFile(path: path, reason: "it must have at most 256 bytes")) {
                _ = try FileMasterKey(path: path)
            }
        }
    }

    @Test("A link, a folder and a missing file are refused")
    func otherFiles() throws {
        try withFolder { folder in
            _ = try FileMasterKey.create(path: "\(folder)/real")
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/link", withDestinationPath: "\(folder)/real")
            try FileManager.default.createDirectory(atPath: "\(folder)/folder", withIntermediateDirectories: false)
            for name in ["link", "folder", "missing"] {
                #expect(throws: KeyVaultError.self) { _ = try FileMasterKey(path: "\(folder)/\(name)") }
            }
        }
    }

    @Test("A file that cannot be created is an error")
    func unmakeable() {
        #expect(throws: KeyVaultError.self) { _ = try FileMasterKey.create(path: "/nonexistent/vault.key") }
    }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
