import Testing

@testable import CardCompanion

@Suite("Card number detection")
struct PrimaryAccountNumberTests {
    // Published test numbers of the card schemes, and numbers of the shortest and longest length.
    static let numbers = [
        "4111111111111111", "5555555555554444", "378282246310005", "6011111111111117", "4222222222222",
        "6304000000000000018", "4000000000000000006",
    ]

    @Test("A card number is found at any place in a text", arguments: numbers)
    func contained(_ number: String) {
        for text in [number, "x\(number)", "\(number)x", "é \(number) é", "1-\(number)-2", "123 \(number)"] {
            #expect(PrimaryAccountNumber.isContained(in: Array(text.utf8)), "\(text)")
        }
    }

    @Test("A card number with one changed digit is not found", arguments: numbers)
    func changed(_ number: String) {
        for index in number.indices {
            guard let digit = number[index].wholeNumberValue else { continue }
            var changed = number
            changed.replaceSubrange(index...index, with: String((digit + 1) % 10))
            #expect(!PrimaryAccountNumber.isContained(in: Array(changed.utf8)), "\(changed)")
        }
    }

    @Test("A card number with two swapped neighbouring digits is not found (Luhn misses only 09 and 90)")
    func exchanged() {
        #expect(!PrimaryAccountNumber.isContained(in: Array("5555555555545444".utf8)))
    }

    @Test(
        "Digit runs that are too short or too long, and texts without digits, are not card numbers",
        arguments: ["", "x", "000000000000", "411111111111", String(repeating: "0", count: 20)])
    func others(_ text: String) {
        #expect(!PrimaryAccountNumber.isContained(in: Array(text.utf8)))
    }

    @Test(
        "A card number is also found in groups of digits; other groups are not card numbers",
        arguments: [
            ("card 4111 1111 1111 1111.", true), ("4111-1111-1111-1111", true), ("4111.1111.1111.1111", true),
            ("4111111111111111", true), ("4111 1111 1111 1112", false), ("4111  1111  1111  1111", false),
            ("FR76 3000 6000 0112 3456 7890 189", false), ("", false), ("-. -", false), ("1 2 3", false),
        ])
    func prose(text: String, isContained: Bool) {
        #expect(PrimaryAccountNumber.isContained(in: Array(text.utf8)) == isContained)
    }

    @Test(
        "A number that begins with another digit than 2 to 6 is not a payment card's",
        arguments: ["1800000000000004", "0000000000000000", "7000000000000005", "8000000000000003", "9000000000000001"])
    func otherIssuers(_ text: String) {
        #expect(!PrimaryAccountNumber.isContained(in: Array(text.utf8)))
    }

    @Test("One card number among many digit runs is found")
    func amongMany() {
        let text = "1 22 333 4444444444444 5105105105105100 6"
        #expect(PrimaryAccountNumber.isContained(in: Array(text.utf8)))
    }
}
