internal import CardCompanionAPI
internal import CardCompanionModel
internal import StrictJSON

typealias DistributionChecks = RequestChecks<DistributionCode>
typealias DefinitionChecks = RequestChecks<DefinitionCode>

/// Checks that several requests share, each with its code.
enum RequestChecks<Code: RequestCode> {
    /// Refuses a request with the code of its first missing member.
    static func requireMembers(
        _ members: [(name: String, code: Code)], of body: borrowing JSONText
    ) throws(RequestError<Code>) {
        if let code = body.firstMissing(members) { throw RequestError(code) }
    }

    static func timestamp(
        _ name: String, of body: borrowing JSONText
    ) throws(RequestError<Code>) -> RequestTimestamp {
        guard let timestamp = RequestTimestamp(body.text(of: name)) else {
            throw RequestError(.invalidTimestamp, detail: RequestTimestamp.form)
        }
        return timestamp
    }

    /// The error says how much the client's clock differs.
    static func requireWindow(
        _ timestamp: RequestTimestamp, of bank: Bank, now: Timestamp
    ) throws(RequestError<Code>) {
        guard timestamp.isWithin(toleranceSeconds: bank.settings.timestampToleranceSeconds, of: now) else {
            throw RequestError(.invalidTimestamp, detail: timestamp.skew(at: now))
        }
        guard !bank.isFromBeforeRestore(timestamp) else {
            throw RequestError(.invalidTimestamp, detail: RequestTimestamp.fromBeforeRestore)
        }
    }

    /// - Parameter bank: nil if there is none of the request's bankId.
    static func activeBank(_ bank: Bank?) throws(RequestError<Code>) -> Bank {
        guard let bank, bank.isActive else { throw RequestError(.bankNotFound) }
        return bank
    }
}
