import Foundation
import Testing

@testable import EIDInterface

@Suite("Messages")
struct MessageTests {
    @Test("Every message of document 000 is read, and written again byte by byte as its example")
    func examples() throws {
        for example in DocumentExamples.messages {
            let message = try Message(example)
            if case .unknown(let name) = message { Issue.record("unknown message \(name)") }
            #expect(message.text(level: .one).string == withoutWhiteSpace(example))
        }
    }

    @Test("The examples have every message of level 1")
    func complete() throws {
        let names = Set(try DocumentExamples.messages.map { try Message($0).name })
        #expect(names == Set(Message.Name.allCases).subtracting([.status, .pause]))
    }

    @Test("The members of the examples have the document's values")
    func values() throws {
        let messages = try DocumentExamples.messages.map { try Message($0) }
        guard case .accessRights(let rights) = messages[0] else { throw Unexpected() }
        #expect(rights.aux?.requiredAge == "18")
        #expect(rights.chat.optional == [.GivenNames, .AgeVerification])
        #expect(
            messages.contains(
                .apiLevel(
                    APILevelMessage(
                        error: "optional error message like an invalid level", available: [1, 2, 3, 4], current: 4))))
        #expect(messages.contains(.auth(.refused(error: "error message if RUN_AUTH failed"))))
        #expect(messages.contains(.changePIN(.finished(success: true, reason: nil))))
        #expect(messages.contains(.unknownCommand("get_INFo")))
    }

    @Test("Messages of later levels are read, and written as they were")
    func laterLevels() throws {
        let texts = [
            #"{"msg":"STATUS","workflow":"AUTH","progress":25,"state":"ACCESS_RIGHTS"}"#,
            #"{"msg":"STATUS","workflow":null,"progress":null,"state":null}"#,
            #"{"msg":"PAUSE","cause":"BadCardPosition"}"#,
            #"{"msg":"INSERT_CARD","error":"Name cannot be undefined"}"#,
            #"{"msg":"CHANGE_PIN","success":false,"reason":"Card_Removed"}"#,
            #"{"msg":"READER","name":"NFC","insertable":true,"attached":true,"keypad":false,"card":{}}"#,
            #"{"msg":"READER_LIST","readers":[{"name":"NFC","insertable":false,"attached":true,"keypad":false,"card":null}]}"#,
        ]
        for text in texts { #expect(try Message(text).text(level: .three).string == text) }
    }

    @Test("An unknown card is no card before level 3")
    func unknownCard() throws {
        let reader = Message.reader(ReaderMessage(name: "NFC", card: .unknown))
        #expect(
            reader.text(level: .one).string
                == #"{"msg":"READER","name":"NFC","attached":true,"keypad":false,"card":null}"#)
    }

    @Test("Of a reader that is gone only the name is said")
    func detached() throws {
        let text = #"{"msg":"READER","name":"NFC","attached":false}"#
        #expect(try Message(text) == .reader(ReaderMessage(name: "NFC", attached: false)))
        #expect(Message.reader(ReaderMessage(name: "NFC", attached: false)).text(level: .one).string == text)
    }

    @Test("Members that nobody knows are ignored")
    func tolerant() throws {
        #expect(
            try Message(
                #"{"x":[{}],"msg":"ENTER_PIN","reader":{"name":"NFC","new":1,"card":{"retryCounter":3,"y":{}}}}"#)
                == .enterPIN(
                    EnterMessage(
                        reader: ReaderMessage(
                            name: "NFC", attached: false,
                            card: CardMessage(inoperative: nil, deactivated: nil, retryCounter: 3)))))
        #expect(try Message(#"{"msg":"LOG","data":1}"#) == .unknown(name: "LOG"))
    }

    @Test("A right that nobody can show makes ACCESS_RIGHTS malformed")
    func unknownRight() {
        let text = #"{"msg":"ACCESS_RIGHTS","chat":{"effective":["Fingerprint"],"optional":[],"required":[]}}"#
        #expect(throws: MessageError.malformed(name: "ACCESS_RIGHTS")) { try Message(text) }
    }

    @Test(
        "What is no message is refused",
        arguments: [
            "", "{", "null", "[]", #"{"cmd":"GET_INFO"}"#, #"{"msg":1}"#, "\u{0}", #"{"msg":"AUTH""#,
        ])
    func notMessages(_ text: String) {
        #expect(throws: MessageError.notAMessage) { try Message(text) }
    }

    @Test(
        "A message with members of the wrong type is refused",
        arguments: [
            #"{"msg":"READER","name":1}"#, #"{"msg":"READER","card":{}}"#, #"{"msg":"API_LEVEL"}"#,
            #"{"msg":"CERTIFICATE"}"#, #"{"msg":"ENTER_PIN","reader":{"name":"x","card":{"retryCounter":1e99}}}"#,
            #"{"msg":"AUTH","result":{"minor":"x"}}"#, #"{"msg":"CHANGE_PIN","success":"true"}"#,
            #"{"msg":"ACCESS_RIGHTS","aux":{"validityDate":"2017-02-30"},"chat":{"effective":[],"optional":[],"required":[]}}"#,
            #"{"msg":"ACCESS_RIGHTS","aux":{"validityDate":"2017-2-3"},"chat":{"effective":[],"optional":[],"required":[]}}"#,
            #"{"msg":"ACCESS_RIGHTS","aux":{"validityDate":"2017-02-03Z"},"chat":{"effective":[],"optional":[],"required":[]}}"#,
            #"{"msg":"ACCESS_RIGHTS"}"#, #"{"msg":"ENTER_PIN","reader":{}}"#,
        ])
    func malformed(_ text: String) {
        #expect(throws: MessageError.self) { try Message(text) }
    }

    @Test("A question without a reader is named as such")
    func missingReader() {
        #expect(throws: MessageError.missingReader(name: "ENTER_PIN")) { try Message(#"{"msg":"ENTER_PIN"}"#) }
    }

    @Test("A message that is too long is not read")
    func tooLong() {
        let text = #"{"msg":"INTERNAL_ERROR","error":""# + String(repeating: "x", count: Message.byteLimit) + #""}"#
        #expect(throws: MessageError.tooLong) { try Message(text) }
    }

    @Test("Messages that are cut off or changed anywhere are read or refused, and nothing else happens")
    func damaged() throws {
        var generator = SystemRandomNumberGenerator()
        for example in DocumentExamples.messages {
            let bytes = Array(example.utf8)
            for end in stride(from: 0, to: bytes.count, by: 7) { _ = try? Message(parsing: Data(bytes[..<end])) }
            for _ in 0..<50 {
                var bytes = bytes
                for _ in 0..<3 {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
                }
                _ = try? Message(parsing: Data(bytes))
            }
        }
        let deep = String(repeating: #"{"msg":"#, count: 20_000)
        #expect(throws: MessageError.notAMessage) { try Message(deep) }
    }
}

struct Unexpected: Error {}
