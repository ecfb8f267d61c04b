/// What a simulated chip, or what carries its answers, does wrong.
package struct Misbehavior: Hashable, Sendable {
    /// A step of the protocol.
    package enum Step: String, Hashable, Sendable, CaseIterable {
        case manageSecurityEnvironment
        case generalAuthenticate
        case select
        /// READ BINARY from the beginning of a file.
        case readHeader
        /// READ BINARY further on.
        case readRest
        case internalAuthenticate
    }

    /// What happens there.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// There is no answer.
        case drop
        /// The connector says that the chip is gone: `6F00` without protection.
        case loseChip
        /// A protected error.
        case refuse
        /// An error without protection.
        case refuseWithoutProtection
        /// `9000` without protection.
        case claimSuccessWithoutProtection
        /// A bit of the MAC is changed.
        case changeAuthenticationCode
        /// A bit of the encrypted data, or of the status in DO99, is changed.
        case changeContent
        /// The status at the end is not the protected one.
        case changeStatus
        /// The last byte before the status is missing.
        case cut
        /// The previous answer is sent again.
        case replay
        /// The chip answers wrong data, with a right MAC.
        case lie
    }

    package let kind: Kind
    package let step: Step
    /// Only the first command of this step, or each.
    package let happensOnce: Bool

    package init(_ kind: Kind, at step: Step, happensOnce: Bool = false) {
        self.kind = kind
        self.step = step
        self.happensOnce = happensOnce
    }
}
