import Administration
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import DualControl

// What a bank's apps and back-end can do, and what they lack.

extension Installation {
    /// Looks at everything that a bank needs to give PINs and to take them.
    func findings(of bank: BankRecord) async throws -> [Finding] {
        let certificates = try await store.certificates(bankId: bank.id)
        let keys = try await store.listedKeys(bankId: bank.id).filter { $0.status == .active }
        let ready =
            [statusFinding(bank), fetchFinding(certificates, keys)]
            + (try await definitionFindings(bank, certificates, keys)) + exportFindings(bank, certificates, keys)
            + [try await backEndFinding(bank), try await webhookFinding(bank)] + (try await waitingFindings(bank))
        let warnings = try await expiryWarnings(of: bank) + keypadWarnings(of: bank)
        return ready + warnings.map { .warning("bank", $0) } + (try await trustFindings([bank]))
    }

    private func statusFinding(_ bank: BankRecord) -> Finding {
        bank.status == .active
            ? .ok("bank", "'\(bank.settings.name)' is active")
            : .error(
                "bank", "it is disabled: nobody is served", do: "card-companion bank set \(bank.id) --status ACTIVE")
    }

    private func fetchFinding(_ certificates: [CertificateRecord], _ keys: [ListedKey]) -> Finding {
        let ways = [
            keys.contains { $0.usage == .distribution || $0.usage == .both } ? "an authentication code" : nil,
            hasSigner(certificates) ? "a token" : nil,
        ].compactMap(\.self)
        guard ways.isEmpty else {
            return .ok("fetch", "apps can fetch PINs with \(ways.joined(separator: ", and with "))")
        }
        return .error(
            "fetch", "apps can fetch no PIN: the bank has neither an HMAC key nor a valid signature certificate",
            do:
                "import one with 'card-companion key import-hmac --usage distribution' or 'card-companion certificate import'"
        )
    }

    private func definitionFindings(
        _ bank: BankRecord, _ certificates: [CertificateRecord], _ keys: [ListedKey]
    ) async throws -> [Finding] {
        guard bank.settings.definition else { return [.ok("definition", "is switched off (--definition false)")] }
        let ways = definitionFinding(certificates, keys)
        guard let reason = try await reasonAgainstDefinition(of: bank) else { return [ways] }
        let fault = Finding.error("definition", "nobody can choose a PIN: \(reason)")
        return ways.level == .ok ? [fault] : [fault, ways]
    }

    /// How apps authenticate a PIN that they define.
    private func definitionFinding(_ certificates: [CertificateRecord], _ keys: [ListedKey]) -> Finding {
        let ways = [
            keys.contains { $0.usage == .definition || $0.usage == .both } ? "an HMAC" : nil,
            hasSigner(certificates) ? "a token" : nil,
        ].compactMap(\.self)
        guard ways.isEmpty else {
            return .ok("definition", "apps can define PINs with \(ways.joined(separator: ", and with "))")
        }
        return .error(
            "definition",
            "apps can define no PIN: the bank has neither an HMAC key for it nor a valid signature certificate",
            do:
                "import one with 'card-companion key import-hmac --usage definition' or 'card-companion certificate import', or set "
                + "--definition false")
    }

    /// Whether the bank's back-end can get defined PINs for the issuer's host, if the operator wants that.
    private func exportFindings(
        _ bank: BankRecord, _ certificates: [CertificateRecord], _ keys: [ListedKey]
    ) -> [Finding] {
        let keys = keys.filter(\.usage.isForHost)
        guard bank.settings.pinExports else {
            guard !keys.isEmpty else { return [] }
            return [
                .warning(
                    "exports", "there are keys for the issuer's host, but exports of PINs are switched off",
                    do: "card-companion bank set \(bank.id) --pin-exports true")
            ]
        }
        guard !keys.isEmpty else {
            return [
                .error(
                    "exports", "exports of PINs are allowed, but there is no active key for the issuer's host",
                    do: "import one with 'card-companion key import --usage visa-pvv', or set --pin-exports false")
            ]
        }
        guard
            certificates.contains(where: {
                $0.purpose == .encryption && $0.isDefault && $0.status == .active && $0.isValid(at: clock.now())
            })
        else {
            return [
                .error(
                    "exports", "no PIN can be exported: the bank has no valid encryption certificate for the answers",
                    do: "import one with 'card-companion certificate import --use encryption'")
            ]
        }
        let warnings = exportWarnings(bank.id, bank.settings, keys)
        guard warnings.isEmpty else { return warnings }
        let labels = keys.map(\.label).joined(separator: ", ")
        return [.ok("exports", "the back-end gets defined PINs for the host, with \(labels)")]
    }

    /// PINs that cardholders can define, and that cannot be exported.
    private func exportWarnings(_ id: Identifier, _ settings: BankSettings, _ keys: [ListedKey]) -> [Finding] {
        func warning(_ text: String, _ options: String, unless: String) -> Finding {
            .warning("exports", text, do: "card-companion bank set \(id) \(options), unless \(unless)")
        }
        var warnings: [Finding] = []
        if settings.retention == .erase {
            warnings.append(
                warning(
                    "a PIN that is shown before its export is gone, with --retention erase", "--retention keep",
                    unless: "the bank takes it from the event pin.defined"))
        }
        for key in keys {
            guard let length = key.onlyPINLength,
                (settings.pinMinimumLength, settings.pinMaximumLength) != (length, length)
            else { continue }
            warnings.append(
                warning(
                    "key '\(key.label)' serves PINs of \(length) digits only",
                    "--pin-minimum-length \(length) --pin-maximum-length \(length)",
                    unless: "the host needs no value of others"))
        }
        let needed = settings.definitionsPerDay * keys.count
        if keys.count > PINExport.dailyLimit {
            warnings.append(
                .warning(
                    "exports",
                    "there are \(keys.count) keys for the issuer's host, and only \(PINExport.dailyLimit) exports a day",
                    do: "disable those that the host does not need: card-companion key disable --bank \(id) LABEL"))
        } else if needed > PINExport.dailyLimit {
            warnings.append(
                warning(
                    "a cardholder can define \(settings.definitionsPerDay) PINs a day, which makes \(needed) exports with all keys "
                        + "(\(keys.map(\.label).joined(separator: ", "))): only \(PINExport.dailyLimit) a day are made",
                    "--definitions-per-day \(PINExport.dailyLimit / keys.count)",
                    unless: "the host needs fewer keys of each PIN"))
        }
        return warnings
    }

    private func hasSigner(_ certificates: [CertificateRecord]) -> Bool {
        certificates.contains { $0.purpose == .signature && $0.status == .active && $0.isValid(at: clock.now()) }
    }

    /// Changes of the bank that have no effect yet.
    private func waitingFindings(_ bank: BankRecord) async throws -> [Finding] {
        try await waitingChanges().filter { $0.bankId == bank.id }.map {
            .warning("approvals", $0.text, do: "card-companion approve \($0.proposal.id)")
        }
    }

    private func backEndFinding(_ bank: BankRecord) async throws -> Finding {
        let names = try await store.issuerKeys(bankId: bank.id).filter { $0.status == .active }.map(\.keyId)
        guard names.isEmpty else { return .ok("back-end", "signs its calls with \(names.joined(separator: ", "))") }
        return .warning(
            "back-end", "the bank's back-end cannot call: there is no active key for it",
            do:
                "card-companion issuer-key add --bank \(bank.id), or import cardholders with 'card-companion cardholder import'"
        )
    }

    private func webhookFinding(_ bank: BankRecord) async throws -> Finding {
        let webhook = try await store.webhook(bankId: bank.id)
        return .ok(
            "events", webhook.map { "are sent to \($0.url)" } ?? "wait for the bank's back-end, which reads them")
    }
}

extension ListedKey {
    /// The length of the PINs that a key for offsets serves; nil if it serves all.
    fileprivate var onlyPINLength: Int? {
        let name = "\(HostKeyRules.Name.pinLength.rawValue)="
        let rule = rules?.split(separator: "\n").first { $0.hasPrefix(name) }
        return rule.flatMap { Int($0.dropFirst(name.count)) }
    }
}
