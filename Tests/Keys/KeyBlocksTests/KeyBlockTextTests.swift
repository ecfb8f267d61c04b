import KeyBlocks
import Testing

@Suite("Key blocks as people hand them over")
struct KeyBlockTextTests {
    /// TR-31:2018, A.7.4.
    private static let block =
        "D0112P0AE00E0000B82679114F470F540165EDFBF7E250FCEA43F810D215F8D207E2E417C07156A27E8E31DA05F7425509593D03A457DC34"

    @Test(
        "Line breaks, blanks around lines, and a payShield's R are left out",
        arguments: [
            (block, false), ("\n \(block)\r\n", false), ("R\(block)", true), ("  R\(block)\n", true),
            ("\(block.prefix(16))\n\(block.dropFirst(16))", false), ("R\n\(block)", true),
            ("R\(block.prefix(16))\r\n\t\(block.dropFirst(16).prefix(64))  \r\n\r\n\(block.dropFirst(80))", true),
            (block.map(String.init).joined(separator: "\n"), false),
        ] as [(String, Bool)])
    func forms(text: String, hadSchemeLetter: Bool) throws {
        let read = try KeyBlockText(text)
        #expect(read.text == Self.block)
        #expect(read.hadSchemeLetter == hadSchemeLetter)
        #expect(throws: Never.self) { try KeyBlock(read.text) }
    }

    @Test(
        "Blanks within a line stay, and an R that is not before a key block",
        arguments: ["D0112 P0", "RR", "R", "RSA", "Rxyz"])
    func unchanged(text: String) throws {
        #expect(try KeyBlockText(text) == KeyBlockText(text + "\n"))
        #expect(try KeyBlockText(text).text == text)
    }

    @Test(
        "A payShield's key that is no key block is refused, with the way that works",
        arguments: [
            ("U", "0123456789ABCDEF0123456789ABCDEF"), ("X", "0123456789ABCDEF0123456789ABCDEF"),
            ("T", "0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF"), ("Z", "0123456789abcdef"),
            ("Y", "0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF"),
            ("S", "00072P0TE00E0000547E12CFA8BDED84D3587FA6AA0C475C9D650EDCAED80A5552EF52C8"),
            ("S", "10096P0TE00S0002"),
        ])
    func payShield(scheme: String, rest: String) throws {
        let error = try #require(throws: KeyBlockError.self) { try KeyBlockText(scheme + rest) }
        #expect(error.field == .version)
        #expect(error.reason.hasPrefix("it is a key of a payShield in key scheme \(scheme), not a key block"))
        #expect(error.reason.contains("command A8, key scheme R"))
        #expect(!error.reason.contains("0123456789"))
    }

    @Test(
        "Hex digits alone can be a component, and are not shown",
        arguments: [
            "0123456789ABCDEF", "0123456789abcdef0123456789ABCDEF",
            "0123456789ABCDEF\n0123456789ABCDEF\n0123456789ABCDEF",
            "0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF",
            "B123456789ABCDEF0123456789ABCDEF", "D123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF",
        ])
    func bareDigits(text: String) throws {
        let error = try #require(throws: KeyBlockError.self) { try KeyBlockText(text) }
        #expect(error.reason.contains("only hex digits") && error.reason.contains("--components"))
        #expect(error.reason.contains("command A8, key scheme R"))
        #expect(!error.reason.contains("123456789"))
    }

    @Test("A payShield's key block under its LMK is refused without its key scheme too", arguments: ["0", "1"])
    func underLMK(version: String) throws {
        let read = try KeyBlockText(
            "\(version)0072P0TE00E0000547E12CFA8BDED84D3587FA6AA0C475C9D650EDCAED80A5552EF52C8")
        let error = try #require(throws: KeyBlockError.self) { try KeyBlock(read.text) }
        #expect(error.field == .version && error.reason.contains("under its LMK"))
        #expect(error.reason.contains("command A8, key scheme R"))
    }
}
