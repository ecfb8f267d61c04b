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
    /// Checks every value. The schema has the same limits.
    ///
    /// - Throws: ``InvalidSetting`` for the first wrong one.
    package func validate() throws(InvalidSetting) {
        try require(1...200 ~= name.unicodeScalars.count, "--name must have 1 to 200 characters")
        try require(Identifier(programme) != nil, "--programme must have \(Identifier.rule)")
        let limits: [(option: String, value: Int, range: ClosedRange<Int>)] = [
            ("--timestamp-tolerance", timestampToleranceSeconds, 1...Self.timestampToleranceLimitSeconds),
            ("--session-lifetime", sessionLifetimeSeconds, 30...86_400),
            ("--undelivered-lifetime", undeliveredLifetimeDays, 1...3650),
            ("--retry-limit", retryLimit, 1...20),
            ("--fetch-limit", fetchLimit, 1...100),
            ("--pin-minimum-length", pinMinimumLength, 4...12),
            ("--pin-maximum-length", pinMaximumLength, 4...12),
            ("--code-minimum-length", codeMinimumLength, 4...64),
            ("--code-maximum-length", codeMaximumLength, 4...64),
            ("--definitions-per-day", definitionsPerDay, 1...100),
            ("--identity-lifetime", identityLifetimeSeconds, 60...86_400),
        ]
        for (option, value, range) in limits {
            try require(
                range ~= value,
                "\(option) must be between \(range.lowerBound) and \(range.upperBound) (was \(value))")
        }
        try require(
            pinMinimumLength <= pinMaximumLength,
            "--pin-minimum-length must not be greater than --pin-maximum-length")
        try require(
            codeMinimumLength <= codeMaximumLength,
            "--code-minimum-length must not be greater than --code-maximum-length")
        try require(
            listedPINs.count <= 10_000, "--weak-pin-file must have at most 10000 PINs (has \(listedPINs.count))")
        try require(
            listedPINs.allSatisfy { 4...12 ~= $0.utf8.count && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } },
            "--weak-pin-file must have one PIN of 4 to 12 digits per line")
        try require(
            definedPINKey.map { Identifier($0) != nil } ?? true, "--defined-pin-key must have \(Identifier.rule)")
        try require(
            definedPINKey == nil || pinBlocks.contains(.iso1),
            "--defined-pin-key makes PIN blocks of format 1: --pin-blocks must list iso-1")
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

    private func require(_ condition: Bool, _ rule: String) throws(InvalidSetting) {
        guard condition else { throw InvalidSetting(description: rule) }
    }
}
