package import CardCompanionModel

/// A value that an operator may not set, and why.
package struct InvalidSetting: Error, CustomStringConvertible {
    /// For the operator: what is wrong, and what to do.
    package let description: String

    package init(description: String) {
        self.description = description
    }
}

extension BankSettings {
    /// Checks every value, and the rules about two of them.
    ///
    /// - Throws: ``InvalidSetting`` for the first wrong one.
    package func validate() throws(InvalidSetting) {
        for setting in BankSetting.all where !setting.isAllowed(self) {
            throw setting.refusal(of: setting.text(self))
        }
        if let rule = BankSettingRule.broken(by: self) { throw InvalidSetting(description: rule.text) }
    }

    /// Why cardholders cannot define a PIN, for the operator; nil if they can.
    ///
    /// - Parameter key: the bank's key that ``definedPINKey`` names.
    package func reasonAgainstDefinition(
        certificates: [CertificateRecord], definedPINKey key: BankKeyRecord?, now: Timestamp
    ) -> String? {
        guard definition else { return "the bank's setting --definition is false" }
        let isDeliverable = certificates.contains {
            $0.purpose == .encryption && $0.isDefault && $0.status == .active && $0.isValid(at: now)
        }
        guard definedPINs == .deliver else { return nil }
        if let label = definedPINKey, key?.makesPINBlocks != true {
            return
                "with --defined-pin-key the bank needs an active key '\(label)' of usage pin-encryption, algorithm tdes and "
                + "direction encrypt or both: import one with 'card-companion key import'"
        }
        guard !isDeliverable else { return nil }
        return "with --defined-pins deliver the bank needs a valid encryption certificate: import one with "
            + "'card-companion certificate import --use encryption', or set --defined-pins keep"
    }
}

extension BankSetting {
    /// Says what a value must be.
    package func refusal(of value: String) -> InvalidSetting {
        let shown = value.utf8.count > Self.shownByteLimit ? "" : " (was '\(value)')"
        return InvalidSetting(description: "\(option) \(rule)\(shown)")
    }

    private static let shownByteLimit = 64
}
