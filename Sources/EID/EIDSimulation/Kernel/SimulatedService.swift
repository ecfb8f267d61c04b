public import EIDInterface
internal import Foundation

/// The service behind RUN_AUTH. It does not exist: nothing is sent to the token's address, and its answers say that it is a
/// simulation. It authenticates no one.
public struct SimulatedService: Sendable {
    /// What it must read.
    public var required: [AccessRight] = [.GivenNames, .FamilyName, .DocumentType]
    /// What it can read if the cardholder grants it. With `CanAllowed` the CAN is enough.
    public var optional: [AccessRight] = []
    /// What the cardholder confirms.
    public var transactionInfo: String?
    /// What it compares with the card.
    public var auxiliaryData: AccessRightsMessage.AuxiliaryData?
    /// Whether ACCESS_RIGHTS says that the CAN is enough; nil leaves that out, as real programs do.
    public var canAllowed: Bool?
    /// Whether it cannot be reached: AUTH comes twice.
    public var failsAtOnce = false

    /// A service that reads names.
    public init() {}

    /// No one owns the domain `invalid` (RFC 2606).
    static let address = "https://simulation.invalid/eid"

    /// What GET_CERTIFICATE shows.
    static let certificate = try? Message(
        parsing: Data(
            #"""
            { "msg": "CERTIFICATE",
            "description": {
            "issuerName": "SIMULATION (no issuer)", "issuerUrl": "https://issuer.simulation.invalid",
            "subjectName": "SIMULATION (no service, authenticates nobody)",
            "subjectUrl": "https://simulation.invalid/eid", "purpose": "SIMULATION",
            "termsOfUsage": "Name, Anschrift:\r\nSIMULATION\r\n\r\nZweck des Auslesevorgangs:\r\nSIMULATION\r\n\r\n\#
            Zuständige Datenschutzaufsicht:\r\nSIMULATION (no authority)" },
            "validity": { "effectiveDate": "2026-01-01", "expirationDate": "2026-12-31" } }
            """#.utf8))

    /// How an authentication ends.
    enum End {
        case done, cancelled, failed
        /// Nothing answers at the address of the token.
        case unreachable
    }

    /// - Parameter hasReasons: whether the kernel gives reasons.
    static func result(_ end: End, hasReasons: Bool) -> AuthMessage {
        switch end {
        case .done:
            return .finished(
                AuthMessage.Outcome(major: AuthMessage.Outcome.ok), url: URL(string: address + "?refID=simulation"))
        case .cancelled:
            let text = "The process has been cancelled."
            return failure(
                AuthMessage.Outcome.cancelledByUser, text, text, hasReasons ? "User_Cancelled" : nil,
                url: URL(string: address + "?errID=simulation"))
        case .unreachable:
            return failure(
                "http://www.bsi.bund.de/ecard/api/1.1/resultminor/dp#trustedChannelEstablishmentFailed",
                "A trusted channel could not be opened.", "The simulated service cannot be reached.")
        case .failed:
            return failure(
                "http://www.bsi.bund.de/ecard/api/1.1/resultminor/al/common#internalError",
                "An internal error has occurred during processing.", "The simulated service has failed.")
        }
    }

    private static func failure(
        _ minor: String, _ description: String, _ message: String, _ reason: String? = nil, url: URL? = nil
    ) -> AuthMessage {
        .finished(
            AuthMessage.Outcome(
                major: AuthMessage.Outcome.failed, minor: minor, language: "en", description: description,
                message: message, reason: reason),
            url: url)
    }
}
