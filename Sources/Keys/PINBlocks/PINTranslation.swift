/// Which format of PIN blocks may be translated into which (PCI PIN Security Requirements, requirement 3; ISO 9564-1 section
/// 9.5).
package struct PINTranslation: Sendable, Hashable {
    /// What happens to the number of the card.
    package enum PANChange: Sendable, Hashable, CaseIterable {
        /// The new block has the same PAN, or a PAN where there was none.
        case none
        /// The new block has another PAN.
        case otherPAN
    }

    /// Where a translation takes place.
    package enum Setting: Sendable, Hashable, CaseIterable {
        /// When a PIN is verified or sent on.
        case transaction
        /// When a card is issued, in the sensitive state that ISO 9564-1 demands.
        case issuance
    }

    package let source: PINBlockFormat
    package let target: PINBlockFormat

    package init(from source: PINBlockFormat, to target: PINBlockFormat) {
        self.source = source
        self.target = target
    }

    /// Whether the translation is allowed.
    ///
    /// A block without a PAN may get one, but a PIN that is bound to a PAN must not be set free, because its block could
    /// then be combined with any card. For the same reason the PAN changes only where a card is issued.
    package func isAllowed(_ change: PANChange, in setting: Setting) -> Bool {
        switch (source.hasPAN, target.hasPAN, change) {
        case (true, false, _): false
        case (true, true, .otherPAN): setting == .issuance
        case (true, true, .none), (false, true, .none), (false, false, .none): true
        // There is no PAN that could change.
        case (false, _, .otherPAN): false
        }
    }
}
