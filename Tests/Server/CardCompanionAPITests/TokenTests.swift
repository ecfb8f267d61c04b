import CardCompanionAPI
import Foundation
import Testing

@Suite struct TokenTests {
    private let token = Token(
        bankId: "BANK_ID", uniqueId: "102456", providerId: "ServiceProvider", transactionId: "4567897",
        timestamp: 1_562_320_989, type: .reminder, signatureCertAlias: "CertificateDefault")

    @Test func `A token's JSON matches the example in section 5.4.1`() {
        #expect(
            token.json() == """
                {"IdBEL":"BANK_ID","IdPorteur":"102456","IdFournisseur":"ServiceProvider",\
                "IdTransaction":"4567897","Timestamp":"1562320989","Type":"01",\
                "SignatureCertAlias":"CertificateDefault"}
                """)
    }

    @Test func `Optional members that are nil are omitted`() {
        var token = token
        token.signatureCertAlias = nil
        #expect(token.json().hasSuffix(#""Type":"01"}"#))
    }

    @Test func `Foundation's JSON parser reads back every character`() throws {
        var token = token
        token.bankId = "a\"b\\c/d\u{0}\u{1f}\n\t é€😀\u{2028}"
        token.authenticationCode = "s3cret"
        let read = try JSONDecoder().decode([String: String].self, from: Data(token.json().utf8))
        #expect(read["IdBEL"] == token.bankId)
        #expect(read["AuthenticationCode"] == "s3cret")
    }

    @Test func `A type parses with or without its leading zero, and in no other form`() {
        #expect(TokenType(text: "00") == .delivery)
        #expect(TokenType(text: "1") == .reminder)
        #expect(TokenType(text: "02") == .definition)
        for text in ["", "3", "03", "000", "+1", " 1", "1 ", "٢"] {
            #expect(TokenType(text: text) == nil)
        }
    }

    @Test func `A token does not print its secret`() {
        var token = token
        token.authenticationCode = "s3cret"
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] {
            #expect(!text.contains("s3cret"))
            #expect(text.contains("Token"))
        }
    }
}
