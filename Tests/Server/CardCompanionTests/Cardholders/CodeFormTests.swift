import CardCompanionModel
import SecureMemory
import Testing

@testable import CardCompanion

@Suite("Authentication code format")
struct CodeFormTests {
    @Test("Each alphabet accepts its own bytes and no others", arguments: CodeAlphabet.allCases)
    func alphabets(_ alphabet: CodeAlphabet) {
        let form = CodeForm(
            settings {
                $0.codeAlphabet = alphabet
                $0.codeMinimumLength = 4
            })
        for byte in UInt8.min...UInt8.max {
            let character = Character(Unicode.Scalar(byte))
            let isAllowed =
                switch alphabet {
                case .digits: character.isASCII && character.isNumber
                case .alphanumeric: character.isASCII && (character.isNumber || character.isLetter)
                case .printable: (0x20..<0x7F).contains(byte)
                }
            let isTaken = form.matches(SecretBytes(copying: [0x31, 0x32, byte, 0x33]))
            #expect(isTaken == isAllowed, "\(byte) in \(alphabet)")
        }
    }

    @Test("A code is accepted only if its length is within the bank's limits")
    func lengths() {
        let form = CodeForm(
            settings {
                $0.codeMinimumLength = 6
                $0.codeMaximumLength = 8
            })
        for length in 0...12 {
            let isTaken = form.matches(SecretBytes(String(repeating: "a", count: length)))
            #expect(isTaken == (6...8).contains(length), "\(length)")
        }
    }
}
