/// What to write about a cardholder. A value that is nil or `unchanged` stays as it is.
package struct CardholderChange: Sendable {
    /// A part that can be removed.
    package enum Part<Value: Sendable>: Sendable {
        case unchanged
        case removed
        case set(Value)

        package init(_ value: Value?) {
            self = value.map { .set($0) } ?? .removed
        }
    }

    /// A PIN that the bank provisions. The store decides whether it is taken.
    package struct PIN: Sendable {
        /// Of the PIN as it was sent.
        package let digest: SpentDigest
        /// Nil if the sent value does not open. Then it is refused, unless the cardholder got it before.
        package let sealed: [UInt8]?
        /// The bank's own number of the PIN.
        package let version: Int64?

        package init(digest: SpentDigest, sealed: [UInt8]?, version: Int64?) {
            self.digest = digest
            self.sealed = sealed
            self.version = version
        }
    }

    /// The bank's text for the cardholder.
    package struct FreeField: Sendable {
        package let sealed: [UInt8]
        /// Key id and MAC under the active key, then under older keys: the same text is sealed differently each time.
        package let macs: [[UInt8]]

        package init(sealed: [UInt8], macs: [[UInt8]]) {
            self.sealed = sealed
            self.macs = macs
        }
    }

    /// Whether the cardholder can be new. Then status, channels and definition must be set.
    package var creates = false
    package var status: CardholderStatus?
    package var channels: [Channel]?
    /// Whether the cardholder can define a PIN.
    package var definition: Bool?
    package var accessibility = Part<Accessibility>.unchanged
    /// Key id and MAC of the authentication code, under the active key and then under older keys.
    package var codeMACs = Part<[[UInt8]]>.unchanged
    package var pin = Part<PIN>.unchanged
    package var freeField = Part<FreeField>.unchanged
    /// Forgets wrong codes and unconfirmed fetches.
    package var unlocks = false

    package init() {}
}
