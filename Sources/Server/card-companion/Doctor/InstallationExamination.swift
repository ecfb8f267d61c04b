import Administration
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import DualControl
import Foundation
import KeyVault

// What the database and the vault say about keys, operators and banks.

extension Installation {
    /// Opens the vault, and looks at its keys and operators.
    func vaultFindings() async -> [Finding] {
        do {
            let keys = try await WrappedDataKeys.read(from: store)
            // To open them would make what is missing, as whoever runs this, and not as the server's user.
            guard keys.isComplete else { return [try await beginning(keys)] }
            _ = try await withKeyring { $0.isOpen }
            return [.ok("vault", "opens the data keys")] + keys.warnings(now: clock.now()).map { .warning("vault", $0) }
                + (try await copyFindings()) + [await operatorFinding(), await auditFinding()]
                + (try await inventoryFindings()) + (try await approvalFindings())
        } catch let fault as InventoryFault {
            return [.error("inventory", "\(fault)", do: fault.remedy)]
        } catch let damage as DamagedBankInventory {
            return [.error("inventory", damage)]
        } catch {
            return [.error("vault", error, do: (error as? KeyVaultError)?.remedy)]
        }
    }

    /// Says if nobody has accepted a vault from a backup.
    private func copyFindings() async throws -> [Finding] {
        try await withVault(vaults.vault()) { vault in
            guard let copy = try await BackupCopy.found(in: vault) else { return [] }
            let fault = RestoredVault(copy: copy, vault: vault.name)
            return [.error("vault", "\(fault)", do: fault.remedy)]
        }
    }

    /// What is to be done where there are no data keys yet.
    private func beginning(_ keys: WrappedDataKeys) async throws -> Finding {
        let hasMasterKey = try await withVault(vaults.vault()) { vault in
            // A server makes the first one in a file, but not on a token.
            guard vault.kind == .token else { return true }
            try await vault.requirePresence()
            for record in keys.masterKeys where record.kind == .token {
                if try await vault.masterKey(record.id) != nil { return true }
            }
            return false
        }
        guard hasMasterKey else {
            return .error(
                "vault", "the \(vaults.name) has no master key of this database",
                do: "make one with 'card-companion vault init'")
        }
        return .warning(
            "vault", "there are no data keys yet", do: "start the server, or run 'vault init': both make them")
    }

    /// Says which version of the inventory counts, and which keys somebody has changed in the database.
    private func inventoryFindings() async throws -> [Finding] {
        guard let newest = try await inventory() else { return [] }
        let (missing, changed) = try await withDataKeys { dataKeys in
            (try await dataKeys.missingObjects(), try await dataKeys.changedKeys(try await dataKeys.opened()))
        }
        return [.ok("inventory", "the newest version is \(newest.mark.text)")]
            + missing.map {
                .warning(
                    "inventory", "the \($0) is in the inventory, but the database does not have it, or has disabled it",
                    do: "find out who has removed it. If it is meant to be disabled, disable it once more")
            }
            + changed.map {
                .error(
                    "inventory",
                    "the \($0) is not in the database as the inventory has it; servers go by the inventory",
                    do: "find out who has changed the database, and restore the row from a backup")
            }
    }

    /// Compares the audit trail with the newest seal that the vault knows.
    private func auditFinding() async -> Finding {
        do {
            let newest = try await withSeals(signs: false) { try await $0.memory.follow() }
            return .ok("audit", newest.map { "the newest seal is \($0.mark.text)" } ?? "there is no seal yet")
        } catch let fault as ReplacedTrail {
            return .error("audit", "\(fault)", do: fault.remedy)
        } catch {
            return .error("audit", error)
        }
    }

    private func operatorFinding() async -> Finding {
        do {
            guard let roster = try await operators() else {
                return .warning(
                    "operators", "there are no operators: anyone who can run commands here can change everything",
                    do: "name them with 'card-companion vault init --first-operator' (docs/dual-control.md)")
            }
            guard roster.isDual else {
                return .warning(
                    "operators", "dual control is off",
                    do: "switch it on with 'card-companion operator dual-control on'")
            }
            return .ok("operators", "dual control is on, with \(roster.members.count) operators")
        } catch {
            return .error("operators", error)
        }
    }

    /// What is active, but ignored by servers.
    private func approvalFindings() async throws -> [Finding] {
        let isDual = try await operators()?.isDual == true
        return try await ignoredObjects().map { object in
            isDual
                ? .warning(
                    "approvals", "two operators have not approved the \(object.name): servers ignore it",
                    do:
                        "disable it, or let two operators approve it: 'bank set' for settings, 'enable' for keys and certificates"
                )
                : .error(
                    "inventory", "the \(object.name) is not in the inventory: servers ignore it",
                    do:
                        "find out who has changed the database. If it is right, 'bank set' makes it count for settings, 'enable' for keys and certificates"
                )
        }
    }

    /// What is wrong with each bank. Each text names its bank.
    func bankFindings() async throws -> [Finding] {
        let (banks, faults) = try await readableBanks()
        var findings: [Finding] = [.ok("banks", banks.count == 1 ? "1 bank" : "\(banks.count) banks")]
        findings += faults.map {
            .error("banks", $0, do: "the bank is not served: use the program that has written its settings")
        }
        for bank in banks {
            findings += try await warnings(of: bank).map { .warning("banks", "bank '\(bank.id)': \($0)") }
        }
        return findings + (try await trustFindings(banks))
    }

    /// What is wrong with the verification of documents.
    func trustFindings(_ banks: [BankRecord]) async throws -> [Finding] {
        let now = clock.now()
        var findings = try await store.trustListSummaries().compactMap { $0.warning(now: now) }.map {
            Finding.warning("documents", $0, do: "import a new one with 'card-companion csca import'")
        }
        for bank in banks where bank.status == .active && bank.settings.identityCheck != .none {
            if try await store.trustRevision(of: bank.id) == nil {
                findings.append(
                    .error(
                        "documents", "bank '\(bank.id)' requires verified documents, but trusts no state",
                        do: "import a master list with 'card-companion csca import'"))
            }
            if try await !store.documentClients(bankId: bank.id).contains(where: {
                $0.status == .active && !$0.isUnbound
            }) {
                findings.append(
                    .error(
                        "documents", "bank '\(bank.id)' requires verified documents, but no app can verify them",
                        do: "add one with 'card-companion document-client add'"))
            }
        }
        return findings
    }

    private func warnings(of bank: BankRecord) async throws -> [String] {
        var warnings = try await expiryWarnings(of: bank)
        if let reason = try await reasonAgainstDefinition(of: bank), bank.settings.definition {
            warnings.append("definition is off: \(reason)")
        }
        return warnings + keypadWarnings(of: bank)
    }

    /// Certificates and revocation lists that have ended, or soon will.
    func expiryWarnings(of bank: BankRecord) async throws -> [String] {
        let now = clock.now()
        var warnings = try await store.revocationLists(bankId: bank.id).compactMap { $0.warning(now: now) }
        for certificate in try await store.certificates(bankId: bank.id) where certificate.status == .active {
            let days = (certificate.notAfter.seconds - now.seconds) / 86_400
            let name = "the \(certificate.purpose.rawValue.lowercased()) certificate '\(certificate.alias)'"
            if certificate.notAfter <= now {
                warnings.append("\(name) expired on \(certificate.notAfter.text)")
            } else if days < ServerSettings.renewalDays {
                warnings.append("\(name) expires in \(days) days")
            }
        }
        return warnings
    }

    /// Why cardholders cannot define a PIN; nil if they can.
    func reasonAgainstDefinition(of bank: BankRecord) async throws -> String? {
        bank.settings.reasonAgainstDefinition(
            certificates: try await store.certificates(bankId: bank.id),
            definedPINKey: try await store.definedPINKey(of: bank), now: clock.now())
    }

    /// GIE CB wants positions on a keypad.
    func keypadWarnings(of bank: BankRecord) -> [String] {
        guard bank.settings.definition, bank.settings.scheme == .cb, bank.settings.definitionBy.allowsDigits else {
            return []
        }
        return [
            "its apps may send a chosen PIN in digits, which GIE CB does not allow: when they send positions, set "
                + "--definition-by indexes"
        ]
    }
}
