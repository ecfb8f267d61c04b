internal import CardCompanionAPI
internal import CardCompanionStore
internal import StrictJSON

// Checks that several requests of distribution share, each with the code that it is refused with.

extension JSONText {
    /// Refuses the first member that is missing.
    borrowing func requireDistribution(_ members: [(name: String, code: DistributionCode)]) throws(DistributionError) {
        if let code = firstMissing(members) { throw DistributionError(code) }
    }

    borrowing func requiredIdentifier(_ name: String) throws(DistributionError) -> String {
        guard let identifier = identifier(name) else {
            throw DistributionError(
                .badParameter,
                detail: "\(name) is not a string of 1 to \(Identifier.maximumLength) printable characters")
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
    /// Tells a client with a wrong clock by how much it is wrong.
    func requireWindow(of bank: Bank, now: Timestamp) throws(DistributionError) {
        guard !isWithin(toleranceSeconds: bank.settings.timestampToleranceSeconds, of: now) else { return }
        throw DistributionError(.invalidTimestamp, detail: skew(at: now))
    }
}

extension Bank {
    static func active(_ bank: Bank?) throws(DistributionError) -> Bank {
        guard let bank, bank.isActive else { throw DistributionError(.bankNotFound) }
        return bank
    }
}
