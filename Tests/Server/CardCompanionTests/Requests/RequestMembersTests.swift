import CardCompanionModel
import StrictJSON
import Testing

@testable import CardCompanion

@Suite("Request members")
struct RequestMembersTests {
    private let body: Body

    init() throws {
        body = try Body(
            #"""
            {"text":"x","empty":"","null":null,"zero":0,"two":2,"twoText":"2","false":false,"list":[],"object":{},
             "negative":-1,"fraction":1.0,"exponent":1e0,"huge":99999999999999999999,"hugeText":"99999999999999999999",
             "nine":"123456789","ten":"1234567890","leading":"007","plus":"+1","space":" 1","arabic":"١","nul":"a\u0000b",
             "long":"\#(String(repeating: "x", count: 65))"}
            """#)
    }

    @Test("Only an absent, null or empty member is missing")
    func missing() {
        for name in ["absent", "empty", "null"] {
            let isMissing = body.json.isMissing(name)
            #expect(isMissing, "\(name)")
        }
        for name in ["text", "zero", "false", "list", "object", "nul"] {
            let isMissing = body.json.isMissing(name)
            #expect(!isMissing, "\(name)")
        }
    }

    @Test("Only a JSON string is read as a string")
    func strings() {
        let text = body.json.string("text")
        #expect(text == "x")
        for name in ["absent", "null", "zero", "false", "list", "object"] {
            let text = body.json.string(name)
            #expect(text == nil, "\(name)")
        }
    }

    @Test("Only a string with a valid length and valid characters is read as an identifier")
    func identifiers() {
        let identifier = body.json.identifier("text")
        #expect(identifier == "x")
        for name in ["absent", "null", "empty", "zero", "list", "nul", "long"] {
            let identifier = body.json.identifier(name)
            #expect(identifier == nil, "\(name)")
        }
    }

    @Test("Only an integer of up to nine digits, or a string of its digits, is read as a small integer")
    func integers() {
        let numbers = ["zero": 0, "two": 2, "twoText": 2, "nine": 123_456_789, "leading": 7]
        for (name, number) in numbers {
            let found = body.json.smallInteger(name)
            #expect(found == number, "\(name)")
        }
        let others = [
            "absent", "null", "empty", "text", "false", "list", "object", "negative", "fraction", "exponent", "huge",
            "hugeText", "ten", "plus", "space", "arabic", "nul",
        ]
        for name in others {
            let found = body.json.smallInteger(name)
            #expect(found == nil, "\(name)")
        }
    }
}
