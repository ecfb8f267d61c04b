import CardCompanionAPI
import CardCompanionModel
import SecureMemory
import StrictJSON
import Testing

@testable import CardCompanion

@Suite("Token parsing")
struct AuthenticationTokenTests {
    @Test("Members are read from the sent text, and the text is kept unchanged")
    func members() throws {
        let text =
            #" {"IdBEL":"\u0042ANK","IdPorteur":"4711","IdFournisseur":"F","IdTransaction":"T","Timestamp":"1700000000","Type":"00"} "#
        let token = try AuthenticationToken(SecretBytes(text))
        #expect(token.bankId == "BANK")
        #expect(token.uniqueId == "4711")
        #expect(token.providerId == "F")
        #expect(token.transactionId == "T")
        #expect(token.timestamp?.seconds == 1_700_000_000)
        #expect(token.type == .delivery)
        #expect(token.certificate == .byDefault)
        #expect(token.members.bytes.revealed == Array(text.utf8))
    }

    @Test(
        "Type can be two digits, one digit or a number; anything else is nil",
        arguments: [
            (#""00""#, 0), (#""0""#, 0), ("0", 0), (#""01""#, 1), (#""1""#, 1), ("1", 1), (#""02""#, 2), ("2", 2),
            (#""03""#, nil), ("3", nil), (#""000""#, nil), (#"" 0""#, nil), ("0.0", nil), ("-1", nil), ("true", nil),
            ("[0]", nil), (#""""#, nil), ("null", nil), ("1e0", nil), (#""\u0030\u0030""#, 0),
        ] as [(String, Int?)])
    func types(_ json: String, _ type: Int?) throws {
        #expect(try AuthenticationToken(SecretBytes(#"{"Type":\#(json)}"#)).type?.rawValue == type)
    }

    @Test("Timestamp can be an integer of ten digits; other numbers and types are nil")
    func timestampNumber() throws {
        #expect(try AuthenticationToken(SecretBytes(#"{"Timestamp":1700000000}"#)).timestamp?.seconds == 1_700_000_000)
        for json in ["1.7e9", "1700000000.0", "-1700000000", "true", "[1700000000]", "17000000000"] {
            #expect(try AuthenticationToken(SecretBytes(#"{"Timestamp":\#(json)}"#)).timestamp == nil, "\(json)")
        }
    }

    @Test("A missing alias selects the default certificate; an alias that is not an identifier selects none")
    func aliases() throws {
        for json in ["{}", #"{"SignatureCertAlias":""}"#, #"{"SignatureCertAlias":null}"#] {
            #expect(try AuthenticationToken(SecretBytes(json)).certificate == .byDefault)
        }
        #expect(try AuthenticationToken(SecretBytes(#"{"SignatureCertAlias":"2026"}"#)).certificate == .alias("2026"))
        for json in ["1", "true", "[]", "{}", #""a\u0000""#, "\"\(String(repeating: "x", count: 65))\""] {
            #expect(try AuthenticationToken(SecretBytes(#"{"SignatureCertAlias":\#(json)}"#)).certificate == nil)
        }
    }

    @Test(
        "A text that is not one strict JSON object is refused",
        arguments: ["", "[]", "x", #"{"a":1,"a":1}"#, "{} {}", "\u{FEFF}{}"])
    func garbage(_ text: String) {
        #expect(throws: JSONError.self) { _ = try AuthenticationToken(SecretBytes(text)) }
    }
}
