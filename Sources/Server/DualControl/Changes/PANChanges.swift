package import Administration
internal import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore
internal import KeyVault

/// `cardholder release-pan`.
package struct ReleasePAN: Change {
    package static let command = "cardholder release-pan"

    let bank: Identifier
    let uniqueId: Identifier

    package init(bank: Identifier, uniqueId: Identifier) {
        self.bank = bank
        self.uniqueId = uniqueId
    }

    package var bankId: Identifier? { bank }
    package var subject: String? { nil }
    package var cardholder: Identifier? { uniqueId }

    package func details(in installation: Installation) async throws -> [String] {
        [
            "cardholder '\(uniqueId)' is parted from the PAN that PINs were exported with: this PAN can then be exported for another "
                + "cardholder, and another PAN for this one"
        ]
    }

    package func requirePossible(in installation: Installation) async throws {
        _ = try await installation.bank(bank)
        let digest = try await digest(in: installation)
        guard try await installation.store.hasPAN(bankId: bank, cardholderDigest: digest) else { throw missing }
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        let digest = try await digest(in: installation)
        let pseudonym = try await installation.withKeyring { try $0.pseudonym(bankId: bank, uniqueId: uniqueId) }
        let isReleased = try await AuditNote.$ofCommand.withValue(AuditNote.ofCommand?.about(pseudonym)) {
            try await installation.store.deletePANBinding(bankId: bank, cardholderDigest: digest)
        }
        guard isReleased else { throw missing }
        return Shown(
            text: "cardholder '\(uniqueId)' of bank '\(bank)' is parted from their PAN",
            json: ["bank": bank.text, "uniqueId": uniqueId.text])
    }

    private func digest(in installation: Installation) async throws -> [UInt8] {
        let digests = try await installation.withKeyring { keyring in
            try await PANDigests.found(of: bank, in: installation.store, keyring)
        }
        guard let digests else { throw missing }
        return digests.digest(ofCardholder: uniqueId)
    }

    private var missing: CommandError {
        .notFound(
            "no PIN of cardholder '\(uniqueId)' of bank '\(bank)' was exported, or its PAN was released: no PAN is theirs"
        )
    }
}
