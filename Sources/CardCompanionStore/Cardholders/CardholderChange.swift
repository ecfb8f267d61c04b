/// What to write of a cardholder. What is nil, or `unchanged`, stays as it is.
package struct CardholderChange: Sendable {
    /// A part that can be removed.
    package enum Part: Sendable {
        case unchanged
        case removed
        /// Sealed, or a MAC.
        case set([UInt8])

        package init(_ value: [UInt8]?) {
            self = value.map { .set($0) } ?? .removed
        }

        var isChanged: Bool {
            if case .unchanged = self { false } else { true }
        }

        var value: [UInt8]? {
            if case .set(let value) = self { value } else { nil }
        }
    }

    package var status: CardholderStatus?
    package var channels: [Channel]?
    package var codeMAC = Part.unchanged
    package var sealedPIN = Part.unchanged
    package var sealedFreeField = Part.unchanged
    /// Forgets wrong codes and unconfirmed fetches.
    package var unlocks = false
    /// A MAC of the JSON that the cardholder is provisioned from, for PUT and import. Only they can create a cardholder.
    var provisionMAC: [UInt8]?

    package init() {}

    /// Creates a cardholder, or replaces all of one.
    package init(_ cardholder: SealedCardholder) {
        status = cardholder.status
        channels = cardholder.channels
        codeMAC = Part(cardholder.codeMAC)
        sealedPIN = Part(cardholder.sealedPIN)
        sealedFreeField = Part(cardholder.sealedFreeField)
        unlocks = true
        provisionMAC = cardholder.provisionMAC
    }
}

/// A cardholder as a bank provisions them, with the secrets sealed.
package struct SealedCardholder: Sendable {
    package var uniqueId: Identifier
    package var status: CardholderStatus
    package var channels: [Channel]
    /// Key id and MAC of the authentication code; nil if there is no code.
    package var codeMAC: [UInt8]?
    package var sealedPIN: [UInt8]?
    /// The bank's text for the cardholder.
    package var sealedFreeField: [UInt8]?
    /// A MAC of the JSON that this was read from: the same JSON again changes nothing.
    package var provisionMAC: [UInt8]

    package init(
        uniqueId: Identifier, status: CardholderStatus, channels: [Channel], codeMAC: [UInt8]?, sealedPIN: [UInt8]?,
        sealedFreeField: [UInt8]?, provisionMAC: [UInt8]
    ) {
        self.uniqueId = uniqueId
        self.status = status
        self.channels = channels
        self.codeMAC = codeMAC
        self.sealedPIN = sealedPIN
        self.sealedFreeField = sealedFreeField
        self.provisionMAC = provisionMAC
    }
}
