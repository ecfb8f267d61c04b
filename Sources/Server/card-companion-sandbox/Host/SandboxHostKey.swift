import Administration
import CardCompanion
import CardCompanionModel
import CardCompanionStore
import Cryptography
import Foundation
import Glibc
import KeyBlocks
import KeyVault
import SecureMemory

extension Sandbox {
    private static let protectionKeyByteCount = 32
    private static let pvkByteCount = 16

    /// Whether the host can get values and verify PINs: its HSM and the server have the same key.
    func hasHost(_ installation: Installation) async throws -> Bool {
        guard FileManager.default.fileExists(atPath: "\(directory)/\(SandboxHSM.keyFile)") else { return false }
        let label = try SandboxHSM(directory: directory).keyLabel
        return try await installation.store.bankKey(bankId: Self.bankId, label: label) != nil
    }

    /// Makes the key of PVVs, gives it to the server as a bank would, and lets defined PINs go to the host. The key's clear value is in
    /// a file, for the host.
    func makeHost(_ installation: Installation, _ keyring: Keyring) async throws {
        let (protectionKey, protectionLabel) = try await makeProtectionKey(installation, keyring)
        let pvk = try SymmetricKey(.tripleDES, SecureRandom.secret(count: Self.pvkByteCount))
        let header = try KeyBlockHeader(
            version: .aes, purpose: .visaPVV(verifies: true), algorithm: .tripleDES, exportability: .notExportable)
        let block = try KeyBlock(wrapping: pvk, header: header, under: protectionKey) { SecureRandom.secret(count: $0) }
        let rules = try HostKeyRules.text(
            [
                .pvki: "\(SandboxHSM.keyIndex)", .panLength: "\(SandboxCard.digitCount)",
                .panPrefixes: SandboxCard.prefix,
            ], usage: .visaPVV)
        let key = try await KeyBlockImport(block.text, usage: .visaPVV, acceptsK0: false, rules: rules)
            .key(under: protectionLabel, of: Self.bankId, in: installation.store, keyring: keyring)
        let label = try SandboxHSM(pvk).keyLabel
        try await installation.adding(key.object(bankId: Self.bankId, label: label)) {
            _ = try await key.add(
                to: Self.bankId, label: label, in: installation.store, keyring: keyring, now: installation.clock.now())
        }
        // Values under another key are worth nothing.
        unlink("\(directory)/\(HostCards.file)")
        var hex = SecretBuffer()
        hex.appendHex(pvk.secret.bytes)
        try write(hex.finish(), to: SandboxHSM.keyFile)
        _ = try await Self.changeBank(in: installation) { settings in
            settings.pinExports = true
            settings.definedPINEffect = .later
            settings.forwardDefinedPINs = true
        }
    }

    /// A key that protects key blocks, in two components as two custodians enter them. Nobody needs it after this.
    private func makeProtectionKey(
        _ installation: Installation, _ keyring: Keyring
    ) async throws -> (ProtectionKey, label: String) {
        let components = (1...2).map { _ in SharedSecret(SecureRandom.secret(count: Self.protectionKeyByteCount)) }
        let key = try SymmetricKey(.aes, components[0].bytes.xor(components[1].bytes))
        let (kcv, label) = (key.checkValue.description, "kbpk-\(key.checkValue)")
        let ceremony = KeyCeremony(
            bankId: Self.bankId, label: label, store: installation.store, keyring: keyring,
            now: installation.clock.now())
        for (index, component) in components.enumerated() {
            var hex = SecretBuffer()
            hex.appendHex(component.bytes)
            _ = try await ceremony.enter(
                hex.finish(), of: KeyKind(usage: .keyBlock, algorithm: .aes), count: components.count,
                by: Self.custodian(index), needsTwo: true)
        }
        let object = try await ceremony.key(kcv: kcv).object(bankId: Self.bankId, label: label)
        try await installation.adding(object) {
            _ = try await ceremony.confirm(kcv: kcv, by: Self.custodian(components.count))
        }
        return (try ProtectionKey(key, .encrypt), label)
    }

    private static func custodian(_ index: Int) -> String { "sandbox custodian \(index + 1)" }

    /// Changes the settings of the bank.
    ///
    /// - Returns: false if another command has changed them at the same moment.
    static func changeBank(
        in installation: Installation, _ change: (inout BankSettings) -> Void
    ) async throws -> Bool {
        let bank = try await installation.bank(bankId)
        var settings = bank.settings
        change(&settings)
        let changed = settings
        return try await installation.adding(InventoryObject(BankPolicy(bank.id, changed, bank.status))) {
            try await installation.store.updateBank(
                id: bank.id, settings: changed, status: bank.status, revision: bank.revision)
        }
    }
}
