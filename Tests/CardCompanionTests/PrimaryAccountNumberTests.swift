import Testing

@testable import CardCompanion

@Suite("Card numbers are seen")
struct PrimaryAccountNumberTests {
    // Published test numbers of the schemes, and the shortest and longest that the rule knows.
    static let numbers = [
        "4111111111111111", "5555555555554444", "378282246310005", "6011111111111117", "4222222222222",
        "6304000000000000018", "4000000000000000006",
    ]

    @Test("Wherever they stand in a text", arguments: numbers)
    func contained(_ number: String) {
        for text in [number, "x\(number)", "\(number)x", "é \(number) é", "1-\(number)-2", "123 \(number)"] {
            #expect(PrimaryAccountNumber.isContained(in: Array(text.utf8)), "\(text)")
        }
    }

    @Test("One digit changed is no card number any more", arguments: numbers)
    func changed(_ number: String) {
        for index in number.indices {
            guard let digit = number[index].wholeNumberValue else { continue }
            var changed = number
            changed.replaceSubrange(index...index, with: String((digit + 1) % 10))
            #expect(!PrimaryAccountNumber.isContained(in: Array(changed.utf8)), "\(changed)")
        }
    }

    @Test("Two different neighbours exchanged are none either, but for 09 and 90, which Luhn's check does not see")
    func exchanged() {
        #expect(!PrimaryAccountNumber.isContained(in: Array("5555555555545444".utf8)))
    }

    @Test(
        "Runs that are too short or too long, and texts without digits, are none",
        arguments: ["", "x", "000000000000", "411111111111", String(repeating: "0", count: 20), "4111 1111 1111 1111"])
    func others(_ text: String) {
        #expect(!PrimaryAccountNumber.isContained(in: Array(text.utf8)))
    }

    @Test(
        "In prose a number is seen although it is written in groups; others are none",
        arguments: [
            ("card 4111 1111 1111 1111.", true), ("4111-1111-1111-1111", true), ("4111.1111.1111.1111", true),
            ("4111111111111111", true), ("4111 1111 1111 1112", false), ("4111  1111  1111  1111", false),
            ("FR76 3000 6000 0112 3456 7890 189", false), ("", false), ("-. -", false), ("1 2 3", false),
        ])
    func prose(text: String, isContained: Bool) {
        #expect(PrimaryAccountNumber.isContained(inProse: Array(text.utf8)) == isContained)
    }

    @Test("Among many runs the one is found")
    func amongMany() {
        let text = "1 22 333 4444444444444 5105105105105100 6"
        #expect(PrimaryAccountNumber.isContained(in: Array(text.utf8)))
    }
}
