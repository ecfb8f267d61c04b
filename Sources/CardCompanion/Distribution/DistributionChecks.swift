internal import CardCompanionAPI
internal import CardCompanionStore
internal import StrictJSON

// Checks that several requests of distribution share, each with its code.

extension JSONText {
    /// Refuses the request with the code of its first missing member.
    borrowing func requireDistribution(_ members: [(name: String, code: DistributionCode)]) throws(DistributionError) {
        if let code = firstMissing(members) { throw DistributionError(code) }
    }

    borrowing func requiredIdentifier(_ name: String) throws(DistributionError) -> Identifier {
        guard let identifier = identifier(name) else {
            throw DistributionError(
                .badParameter,
                detail: "\(name) must be a string of \(Identifier.rule)")
        }
        return identifier
    }

    borrowing func timestamp(_ name: String) throws(DistributionError) -> RequestTimestamp {
        guard let timestamp = RequestTimestamp(text(of: name)) else {
            throw DistributionError(.invalidTimestamp, detail: RequestTimestamp.form)
        }
        return timestamp
    }
}

extension RequestTimestamp {
    /// The error says how much the client's clock differs.
    func requireWindow(of bank: Bank, now: Timestamp) throws(DistributionError) {
        guard isWithin(toleranceSeconds: bank.settings.timestampToleranceSeconds, of: now) else {
            throw DistributionError(.invalidTimestamp, detail: skew(at: now))
        }
        guard !bank.isFromBeforeRestore(self) else {
            throw DistributionError(.invalidTimestamp, detail: RequestTimestamp.fromBeforeRestore)
        }
    }
}

extension Bank {
    static func active(_ bank: Bank?) throws(DistributionError) -> Bank {
        guard let bank, bank.isActive else { throw DistributionError(.bankNotFound) }
        return bank
    }
}
