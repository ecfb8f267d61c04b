import CardCompanion
import CardCompanionModel
import Testing

@Suite("Names of server keys")
struct ServerKeyNameTests {
    @Test("No name begins with a hyphen, which the command line would take for an option")
    func hyphen() throws {
        let keyring = try testKeyring()
        for _ in 0..<400 { #expect(try !ServerKeys.make(.ec, keyring).keyId.hasPrefix("-")) }
    }
}
