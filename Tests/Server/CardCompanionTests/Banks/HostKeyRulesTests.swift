import CardCompanionModel
import PINBlocks
import SecureMemory
import Testing

@testable import CardCompanion

/// What operators fix with a key for the issuer's host.
@Suite("Rules of keys for the issuer's host")
struct HostKeyRulesTests {
    @Test("Every format has the PAN, and a PIN without a PAN may become such a block (PCI PIN, requirement 3)")
    func formats() {
        for format in HostBlockFormat.allCases.map(\.format) {
            #expect(format.hasPAN)
            #expect(PINTranslation(from: .iso1, to: format).isAllowed(.none, in: .transaction))
        }
        #expect(HostBlockFormat(rawValue: PINBlockFormat.iso1.rawValue) == nil)
    }

    @Test("Equal rules have one text, and another text is refused")
    func text() throws {
        let text = "pvki=1\npan-length=16\npan-prefixes=412345,54321098"
        #expect(try HostKeyRules(text, usage: .visaPVV, algorithm: .tripleDES).text == text)
        #expect(
            try HostKeyRules.text(
                [.panPrefixes: "54321098,412345", .pvki: "1", .panLength: "16"], usage: .visaPVV) == text)
        for other in [
            "", "pvki=1", text + "\n", text + "\npvki=1", "\(text)\nformats=iso-3", "pvki=1\n" + text,
            text.replacing("pvki=1", with: "pvki=01"), text.replacing("16", with: "016"),
            "pvki=1\npan-length=16\npan-prefixes=54321098,412345",
            "pan-length=16\npvki=1\npan-prefixes=412345,54321098",
        ] {
            #expect(throws: InvalidSetting.self) {
                try HostKeyRules(other, usage: .visaPVV, algorithm: .tripleDES)
            }
        }
    }

    /// A whole PAN: digits, and their check digit.
    private func pan(_ digits: [UInt8]) -> [UInt8] {
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            let value = Int(digit.element) * (digit.offset.isMultiple(of: 2) ? 2 : 1)
            return sum + value / 10 + value % 10
        }
        return digits + [UInt8((10 - sum % 10) % 10)]
    }

    @Test("Rules are taken exactly if no two cards of the key share the digits of a value")
    func ambiguity() throws {
        var taken = 0
        for _ in 0..<3000 {
            let length = Int.random(in: ServedCards.panLengths)
            let prefixes = Set(
                (0..<Int.random(in: 1...3)).map { _ in
                    (0..<Int.random(in: 6...8)).map { _ in String(Int.random(in: 4...5)) }.joined()
                }
            ).sorted()
            let cards = try #require(ServedCards(panLength: length, prefixes: prefixes))
            let start = Int.random(in: 0...min(8, length - 5))
            let covered = start..<Int.random(in: start + 4...length)
            // A prefix that begins with another one says nothing, and is refused too.
            let isShared =
                sharesDigits(prefixes, length, covered)
                || prefixes.contains { prefix in prefixes.contains { $0 != prefix && $0.hasPrefix(prefix) } }
            #expect((cards.ambiguity(within: covered) != nil) == isShared, "\(prefixes) \(length) \(covered)")
            if !isShared { taken += 1 }
        }
        #expect(taken > 0)
    }

    /// Whether two PANs of the cards differ, and have the same covered digits. It looks for such a pair.
    private func sharesDigits(_ prefixes: [String], _ length: Int, _ covered: Range<Int>) -> Bool {
        let numbers = prefixes.map { $0.utf8.map { $0 - 0x30 } }
        for first in numbers {
            for second in numbers {
                // The first card has the second one's prefix wherever its own is open.
                var (left, right) = ([UInt8](repeating: 7, count: length - 1), [UInt8](repeating: 7, count: length - 1))
                for index in 0..<length - 1 {
                    let own = index < first.count ? first[index] : nil
                    let other = index < second.count ? second[index] : nil
                    left[index] = own ?? other ?? 7
                    // A digit that is neither fixed nor covered can be any.
                    right[index] = other ?? (covered.contains(index) ? left[index] : 8)
                }
                let (a, b) = (pan(left), pan(right))
                if a != b, covered.allSatisfy({ $0 == length - 1 || a[$0] == b[$0] }) { return true }
            }
        }
        return false
    }
}
