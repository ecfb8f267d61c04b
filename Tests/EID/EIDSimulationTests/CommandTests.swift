import Foundation
import Testing

@testable import EIDInterface
@testable import EIDSimulation

@Suite("The simulated kernel: commands")
struct SimulatedCommandTests {
    @Test(
        "Each command has its answer, and what is no command is INVALID",
        arguments: [
            (#"{"cmd":"GET_IN"#, #"{"msg":"INVALID","error":"unterminated string (offset: 14)"}"#),
            ("", #"{"msg":"INVALID","error":"unterminated string (offset: 0)"}"#),
            ("1", #"{"msg":"INVALID","error":"illegal value (offset: 0)"}"#),
            ("{", #"{"msg":"INVALID","error":"unterminated string (offset: 1)"}"#),
            ("[1 2]", #"{"msg":"INVALID","error":"illegal value (offset: 3)"}"#),
            (#"{"cmd""#, #"{"msg":"INVALID","error":"unterminated string (offset: 6)"}"#),
            (#"{"cmd"}"#, #"{"msg":"INVALID","error":"illegal value (offset: 6)"}"#),
            (#"{"cmd":GET_INFO}"#, #"{"msg":"INVALID","error":"illegal value (offset: 7)"}"#),
            (#"{"cmd":1"#, #"{"msg":"INVALID","error":"unterminated string (offset: 8)"}"#),
            (#"{"cmd":"GET_INFO",}"#, #"{"msg":"INVALID","error":"illegal value (offset: 18)"}"#),
            (#"{"cmd":"\u"#, #"{"msg":"INVALID","error":"illegal value (offset: 8)"}"#),
            (#"{"cmd":"x"}}"#, #"{"msg":"INVALID","error":"illegal value (offset: 11)"}"#),
            ("{}", #"{"msg":"INVALID","error":"Command cannot be undefined"}"#),
            ("[]", #"{"msg":"INVALID","error":"Command cannot be undefined"}"#),
            (#"{"cmd":"get_INFo"}"#, #"{"msg":"UNKNOWN_COMMAND","error":"get_INFo"}"#),
            (#"{"cmd":"INTERRUPT"}"#, #"{"msg":"UNKNOWN_COMMAND","error":"INTERRUPT"}"#),
            (#"{"cmd":"GET_STATUS"}"#, #"{"msg":"UNKNOWN_COMMAND","error":"GET_STATUS"}"#),
            (#"{"cmd":"SET_PIN"}"#, #"{"msg":"BAD_STATE","error":"SET_PIN"}"#),
            (#"{"cmd":"ACCEPT"}"#, #"{"msg":"BAD_STATE","error":"ACCEPT"}"#),
            (#"{"cmd":"GET_READER"}"#, #"{"msg":"READER","error":"Name cannot be undefined"}"#),
            (#"{"cmd":"GET_READER","name":1}"#, #"{"msg":"READER","error":"Invalid name"}"#),
            (#"{"cmd":"GET_READER","name":"x"}"#, #"{"msg":"READER","name":"x","attached":false}"#),
            (#"{"cmd":"SET_API_LEVEL"}"#, #"{"msg":"API_LEVEL","error":"Level cannot be undefined","current":1}"#),
            (#"{"cmd":"SET_API_LEVEL","level":"1"}"#, #"{"msg":"API_LEVEL","error":"Invalid level","current":1}"#),
            (#"{"cmd":"SET_API_LEVEL","level":9}"#, #"{"msg":"API_LEVEL","error":"Unknown level","current":1}"#),
            (#"{"cmd":"SET_API_LEVEL","level":1}"#, #"{"msg":"API_LEVEL","current":1}"#),
            (#"{"cmd":"GET_API_LEVEL"}"#, #"{"msg":"API_LEVEL","available":[1],"current":1}"#),
        ])
    func answers(_ command: String, _ answer: String) throws {
        #expect(try Kernel(levelOne())(command) == [answer])
    }

    @Test("A reader that is not there is not insertable either")
    func unknownReader() throws {
        let kernel = try Kernel(#"{"levels":[2]}"#)
        #expect(
            kernel(#"{"cmd":"GET_READER","name":"x"}"#) == [#"{"msg":"READER","name":"x","attached":false}"#])
    }

    @Test("The next app finds the level of the one before")
    func levelStays() throws {
        let kernel = try Kernel(#"{"levels":[1,2]}"#)
        _ = kernel(#"{"cmd":"SET_API_LEVEL","level":1}"#)
        kernel.disconnect()
        kernel.connect()
        #expect(kernel(#"{"cmd":"GET_API_LEVEL"}"#) == [#"{"msg":"API_LEVEL","available":[1,2],"current":1}"#])
    }

    @Test("A second workflow is BAD_STATE")
    func second() throws {
        let kernel = try Kernel(levelOne())
        _ = kernel(changePIN)
        #expect(kernel(authenticate) == [#"{"msg":"BAD_STATE","error":"RUN_AUTH"}"#])
    }

    @Test("Level 2 has STATUS, insertable readers and SET_CARD")
    func levelTwo() throws {
        let kernel = try Kernel(#"{"levels":[1,2],"readers":[{"name":"S","insertable":true}]}"#)
        #expect(
            kernel(#"{"cmd":"GET_READER_LIST"}"#) == [
                #"{"msg":"READER_LIST","readers":[{"name":"S","insertable":true,"attached":true,"keypad":false,"card":null}]}"#
            ])
        #expect(kernel(#"{"cmd":"GET_STATUS"}"#) == [#"{"msg":"STATUS","workflow":null,"progress":null,"state":null}"#])
        #expect(
            kernel(changePIN) == [
                started, #"{"msg":"STATUS","workflow":"CHANGE_PIN","progress":0,"state":null}"#,
                #"{"msg":"INSERT_CARD"}"#,
            ])
        #expect(kernel(#"{"cmd":"SET_CARD"}"#) == [#"{"msg":"INSERT_CARD","error":"Name cannot be undefined"}"#])
        let answers = kernel(#"{"cmd":"SET_CARD","name":"S"}"#)
        #expect(answers.count == 2 && answers[1].contains("ENTER_PIN"))
        _ = kernel(#"{"cmd":"CANCEL"}"#)
        #expect(kernel(#"{"cmd":"RUN_CHANGE_PIN","status":false}"#).count == 2)
    }

    @Test("Level 3 has PAUSE and CONTINUE, and says unknown cards")
    func levelThree() throws {
        let kernel = try Kernel(
            #"{"cards":{"c":{"unknown":true}},"readers":[{"name":"N","card":"default"},{"name":"U","card":"c"}]}"#)
        #expect(kernel(#"{"cmd":"GET_READER","name":"U"}"#).first?.contains(#""card":{}"#) == true)
        _ = kernel(changePIN)
        #expect(kernel.perform(.pause) == [#"{"msg":"PAUSE","cause":"BadCardPosition"}"#])
        #expect(kernel(set("PIN", "123456")) == [#"{"msg":"BAD_STATE","error":"SET_PIN"}"#])
        #expect(kernel(#"{"cmd":"CONTINUE"}"#).first?.contains("ENTER_PIN") == true)
    }

    @Test("A scenario acts after its messages")
    func events() throws {
        let kernel = try Kernel(
            #"{"levels":[1],"readers":[{"name":"NFC"}],"events":["#
                + #"{"after":"INSERT_CARD","do":[{"action":"insert","reader":"NFC","card":"default"}]},"#
                + #"{"after":"ENTER_NEW_PIN","do":[{"action":"send","text":"{"},{"action":"disconnect"}]}]}"#)
        #expect(kernel(changePIN) == [started, #"{"msg":"INSERT_CARD"}"#, reader(3), enter("ENTER_PIN", 3)])
        #expect(kernel(set("PIN", "123456")) == [enter("ENTER_NEW_PIN", 3), "{", "DISCONNECT"])
    }

    @Test(
        "A wrong scenario is refused",
        arguments: [
            "", "[]", #"{"levels":[4]}"#, #"{"levels":[]}"#, #"{"readers":[{"name":"x","card":"y"}]}"#,
            #"{"cards":{"c":{"pin":"1"}},"readers":[{"name":"x","card":"c"}]}"#,
            #"{"events":[{"after":"AUTH","do":[{"action":"dance"}]}]}"#,
            #"{"events":[{"after":"AUTH","do":[{"action":"insert"}]}]}"#,
        ])
    func faults(_ scenario: String) {
        #expect(throws: Scenario.Fault.self) { try Scenario(parsing: Data(scenario.utf8)) }
    }

    @Test("Random and damaged commands never stop the kernel")
    func damaged() throws {
        var generator = SystemRandomNumberGenerator()
        let kernel = try Kernel(levelOne())
        let commands = [
            authenticate, changePIN, set("PIN", "123456"), set("CAN", "1"), #"{"cmd":"SET_ACCESS_RIGHTS","chat":[]}"#,
        ]
        for _ in 0..<2000 {
            var bytes = Array((commands.randomElement(using: &generator) ?? "").utf8)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = kernel(String(decoding: bytes, as: UTF8.self))
        }
        _ = kernel(#"{"cmd":"CANCEL"}"#)
        #expect(kernel(changePIN).first == started)
        #expect(
            kernel(String(repeating: "[", count: SimulatedKernel.commandByteLimit + 1)).first?.contains("INVALID")
                == true)
    }
}
