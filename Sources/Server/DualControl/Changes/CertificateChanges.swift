package import Administration
package import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore

/// `certificate import`.
package struct ImportCertificate: Change {
    package static let command = "certificate import"

    let bank: Identifier
    let alias: String
    let use: CertificatePurpose
    let isDefault: Bool
    let pem: [UInt8]
    let trustedCAs: [UInt8]
    /// The CA's CRL.
    let revocationList: [UInt8]?

    package init(
        bank: Identifier, alias: String, use: CertificatePurpose, isDefault: Bool, pem: [UInt8], trustedCAs: [UInt8],
        revocationList: [UInt8]?
    ) {
        self.bank = bank
        self.alias = alias
        self.use = use
        self.isDefault = isDefault
        self.pem = pem
        self.trustedCAs = trustedCAs
        self.revocationList = revocationList
    }

    package var bankId: Identifier? { bank }
    package var subject: String? { alias }

    /// The certificate, validated.
    package func certificate(at now: Timestamp) throws -> CertificateRecord {
        try CertificateImport(
            pem: pem, trustedCAs: trustedCAs, revocationList: revocationList, alias: alias, purpose: use,
            isDefault: isDefault, now: now
        ).record
    }

    package func effect(at now: Timestamp) -> [String] {
        let fingerprint = (try? certificate(at: now)).map { "SHA-256 \($0.fingerprintHex)" }
        return ["\(use.rawValue)\(isDefault ? ", default" : "")"] + (fingerprint.map { [$0] } ?? [])
    }

    package func details(in installation: Installation) async throws -> [String] {
        let certificate = try certificate(at: installation.clock.now())
        return [
            "\(use.rawValue) certificate '\(alias)'\(isDefault ? ", the new default" : "")",
            "subject \(certificate.subject)", "issuer \(certificate.issuer)",
            "valid to \(certificate.notAfter.text)", "fingerprint \(certificate.fingerprintHex)",
        ]
    }

    package func objects(in installation: Installation) async throws -> [InventoryObject] {
        let certificate = try certificate(at: installation.clock.now())
        let demoted = try await installation.defaultCertificate(of: bank, for: isDefault ? use : nil)
        return [InventoryObject(certificate, of: bank)]
            + demoted.map { InventoryObject($0.with(isDefault: false), of: bank) }
    }

    package func requirePossible(in installation: Installation) async throws {
        _ = try await installation.bank(bank)
        let certificate = try certificate(at: installation.clock.now())
        guard try await installation.store.revocation(bankId: bank, of: certificate) != .revoked else {
            throw CommandError.refused("the bank's CRL of \(certificate.issuer) says that the certificate is revoked")
        }
        guard try await !installation.store.certificates(bankId: bank).contains(where: { $0.alias == alias }) else {
            throw isThere
        }
    }

    private var isThere: CommandError { .refused("bank '\(bank)' already has a certificate '\(alias)'") }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        try await requirePossible(in: installation)
        let certificate = try certificate(at: installation.clock.now())
        guard try await installation.store.insertCertificate(bankId: bank, certificate) else { throw isThere }
        return Shown(
            text: "imported certificate '\(alias)' of bank '\(bank)': \(certificate.subject), valid to "
                + certificate.notAfter.text,
            json: CertificateReport(certificate))
    }
}

/// `certificate default`.
package struct SetDefaultCertificate: Change {
    package static let command = "certificate default"

    let bank: Identifier
    let alias: String

    package init(bank: Identifier, alias: String) {
        self.bank = bank
        self.alias = alias
    }

    package var bankId: Identifier? { bank }
    package var subject: String? { alias }

    private func certificate(in installation: Installation) async throws -> CertificateRecord? {
        try await installation.store.certificates(bankId: bank).first { $0.alias == alias }
    }

    package func details(in installation: Installation) async throws -> [String] {
        ["certificate '\(alias)' becomes the default for its use"]
    }

    package func objects(in installation: Installation) async throws -> [InventoryObject] {
        guard let certificate = try await certificate(in: installation) else { return [] }
        let demoted = try await installation.defaultCertificate(of: bank, for: certificate.purpose)
            .filter { $0.alias != alias }
        return ([certificate.with(isDefault: true)] + demoted.map { $0.with(isDefault: false) })
            .map { InventoryObject($0, of: bank) }
    }

    package func requirePossible(in installation: Installation) async throws {
        _ = try await installation.bank(bank)
        guard try await certificate(in: installation)?.status == .active else { throw missing }
    }

    private var missing: CommandError {
        .notFound(
            "bank '\(bank)' has no active signature or encryption certificate '\(alias)': see "
                + "'card-companion certificate list --bank \(bank)'")
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        _ = try await installation.bank(bank)
        guard try await installation.store.setDefaultCertificate(bankId: bank, alias: alias) else { throw missing }
        return Shown(
            text: "certificate '\(alias)' of bank '\(bank)' is the default for its use",
            json: ["bank": bank.text, "alias": alias])
    }
}

extension Installation {
    /// The present default certificate of a use; none if `purpose` is nil.
    fileprivate func defaultCertificate(
        of bankId: Identifier, for purpose: CertificatePurpose?
    ) async throws -> [CertificateRecord] {
        try await store.certificates(bankId: bankId).filter {
            $0.isDefault && $0.purpose == purpose && $0.status == .active
        }
    }
}
