import PINBlocks
import Testing

/// PCI PIN Security Requirements, requirement 3, as a table.
@Suite("Translation of PIN blocks")
struct PINTranslationTests {
    private enum Rule {
        /// With the same PAN anywhere; with another one where a card is issued.
        case samePAN
        /// A block without a PAN.
        case anywhere
        case never
    }

    private static let matrix: [PINBlockFormat: [PINBlockFormat: Rule]] = [
        .iso0: [.iso0: .samePAN, .iso1: .never, .iso3: .samePAN, .iso4: .samePAN],
        .iso1: [.iso0: .anywhere, .iso1: .anywhere, .iso3: .anywhere, .iso4: .anywhere],
        .iso3: [.iso0: .samePAN, .iso1: .never, .iso3: .samePAN, .iso4: .samePAN],
        .iso4: [.iso0: .samePAN, .iso1: .never, .iso3: .samePAN, .iso4: .samePAN],
    ]

    @Test("Each translation follows the table", arguments: PINBlockFormat.allCases, PINBlockFormat.allCases)
    func table(source: PINBlockFormat, target: PINBlockFormat) throws {
        let rule = try #require(Self.matrix[source]?[target])
        for change in PINTranslation.PANChange.allCases {
            for setting in PINTranslation.Setting.allCases {
                let isAllowed =
                    switch (rule, change) {
                    case (.never, _), (.anywhere, .otherPAN): false
                    case (.samePAN, .none), (.anywhere, .none): true
                    case (.samePAN, .otherPAN): setting == .issuance
                    }
                let translation = PINTranslation(from: source, to: target)
                #expect(translation.isAllowed(change, in: setting) == isAllowed, "\(change) \(setting)")
            }
        }
    }
}
