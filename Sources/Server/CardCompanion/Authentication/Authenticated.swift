internal import CardCompanionModel

/// A caller who has proved that the bank sent them for this cardholder.
///
/// `Cardholder` is `Identifier`, or `Identifier?` in definition: there a malformed uniqueId is a cardholder who does not
/// exist (code 111).
struct Authenticated<Cardholder: Sendable>: Sendable {
    /// What the caller proved it with. The store spends it.
    enum Proof: Sendable {
        /// An HMAC, and when its timestamp leaves the time window.
        case hmac(SpentDigest, expiresAt: Timestamp)
        /// A signed token, and its IdTransaction.
        case token(AuthenticationToken, transaction: SpentDigest)
    }

    /// The bank as it was when the proof was checked.
    let bank: Bank
    let uniqueId: Cardholder
    let proof: Proof
    /// When the proof was checked. The rest of the request uses the same time.
    let time: Timestamp
}
