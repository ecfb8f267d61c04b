import Foundation
import Testing

@testable import EIDInterface
@testable import EIDSimulation

/// A kernel, with what it says as texts.
final class Kernel {
    private var kernel: SimulatedKernel

    init(_ scenario: String = "{}") throws {
        kernel = SimulatedKernel(try Scenario(parsing: Data(scenario.utf8)))
        kernel.connect()
    }

    func callAsFunction(_ command: String) -> [String] { kernel.receive(command.utf8).map(Self.text) }

    func perform(_ action: Scenario.Action) -> [String] { kernel.perform(action).map(Self.text) }

    func disconnect() { kernel.disconnect() }

    func connect() { kernel.connect() }

    private static func text(_ output: SimulatedKernel.Output) -> String {
        switch output {
        case .message(let message, let level):
            message.text(level: level).withBytes { String(decoding: $0, as: UTF8.self) }
        case .text(let text): text
        case .disconnect: "DISCONNECT"
        }
    }
}

/// A scenario of level 1 with one reader, and a card with these members.
private func levelOne(card: String = "{}", reader: String = "", more: String = "") -> String {
    #"{"levels":[1],"cards":{"c":\#(card)},"readers":[{"name":"NFC","card":"c"\#(reader)}]\#(more)}"#
}

private func nfc(_ tries: Int, inoperative: Bool = false) -> String {
    #""name":"NFC","attached":true,"keypad":false,"card":{"inoperative":\#(inoperative),"deactivated":false,"retryCounter":\#(tries)}"#
}

private func enter(_ name: String, _ tries: Int, error: String? = nil) -> String {
    #"{"msg":"\#(name)",\#(error.map { #""error":"\#($0)","# } ?? "")"reader":{\#(nfc(tries))}}"#
}

private func reader(_ tries: Int, inoperative: Bool = false) -> String {
    #"{"msg":"READER",\#(nfc(tries, inoperative: inoperative))}"#
}

private let changePIN = #"{"cmd":"RUN_CHANGE_PIN"}"#
private let started = #"{"msg":"CHANGE_PIN"}"#
private let authenticate = #"{"cmd":"RUN_AUTH","tcTokenURL":"https://service.example/token"}"#
private func set(_ name: String, _ value: String) -> String { #"{"cmd":"SET_\#(name)","value":"\#(value)"}"# }

@Suite("The simulated kernel: PIN change")
struct SimulatedPINChangeTests {
    @Test("A transport PIN becomes a PIN")
    func transportPIN() throws {
        let kernel = try Kernel(levelOne(card: #"{"pin":"12345"}"#))
        #expect(kernel(changePIN) == [started, enter("ENTER_PIN", 3)])
        #expect(kernel(set("PIN", "12345")) == [enter("ENTER_NEW_PIN", 3)])
        #expect(kernel(set("NEW_PIN", "654321")) == [#"{"msg":"CHANGE_PIN","success":true}"#])
        _ = kernel(changePIN)
        #expect(kernel(set("PIN", "654321")) == [enter("ENTER_NEW_PIN", 3)])
    }

    @Test("A wrong PIN costs a try, then comes the CAN, then the PIN")
    func can() throws {
        let kernel = try Kernel(levelOne())
        _ = kernel(changePIN)
        #expect(kernel(set("PIN", "000000")) == [reader(2), enter("ENTER_PIN", 2)])
        #expect(kernel(set("PIN", "000001")) == [reader(1), enter("ENTER_CAN", 1)])
        #expect(kernel(set("CAN", "000000")) == [enter("ENTER_CAN", 1)])
        #expect(kernel(set("CAN", "654321")) == [enter("ENTER_PIN", 1)])
        #expect(kernel(set("PIN", "123456")) == [enter("ENTER_NEW_PIN", 3)])
    }

    @Test("Without a try the PUK is needed, and it gives three tries")
    func puk() throws {
        let kernel = try Kernel(levelOne(card: #"{"tries":1}"#))
        #expect(kernel(changePIN) == [started, enter("ENTER_CAN", 1)])
        #expect(kernel(set("CAN", "654321")) == [enter("ENTER_PIN", 1)])
        #expect(kernel(set("PIN", "000000")) == [reader(0), enter("ENTER_PUK", 0)])
        #expect(kernel(set("PUK", "0000000000")) == [enter("ENTER_PUK", 0)])
        #expect(kernel(set("PUK", "1234567890")) == [reader(3), enter("ENTER_PIN", 3)])
    }

    @Test("A PUK serves ten times; then a right one shows that the card is inoperative")
    func exhausted() throws {
        let kernel = try Kernel(levelOne(card: #"{"tries":0,"pukUses":0}"#))
        _ = kernel(changePIN)
        #expect(kernel(set("PUK", "0000000000")) == [enter("ENTER_PUK", 0)])
        #expect(
            kernel(set("PUK", "1234567890")) == [
                reader(0, inoperative: true), #"{"msg":"CHANGE_PIN","success":false}"#,
            ])
    }

    @Test("A value of the wrong form costs nothing")
    func malformed() throws {
        let kernel = try Kernel(levelOne())
        _ = kernel(changePIN)
        for (command, error) in [
            (set("PIN", "1234"), "You must provide 5 - 6 digits"),
            (set("PIN", "abcdef"), "You must provide 5 - 6 digits"),
            (#"{"cmd":"SET_PIN"}"#, "Value cannot be undefined"),
            (#"{"cmd":"SET_PIN","value":123456}"#, "Invalid value"),
        ] {
            #expect(kernel(command) == [enter("ENTER_PIN", 3, error: error)])
        }
        _ = kernel(set("PIN", "123456"))
        #expect(kernel(set("NEW_PIN", "12345")) == [enter("ENTER_NEW_PIN", 3, error: "You must provide 6 digits")])
    }

    @Test("A reader with a keypad takes no value")
    func keypad() throws {
        let kernel = try Kernel(levelOne(reader: #","keypad":true"#))
        _ = kernel(changePIN)
        #expect(kernel(set("PIN", "123456")).first?.contains("Value cannot be defined") == true)
        #expect(kernel(#"{"cmd":"SET_PIN"}"#).first?.contains("ENTER_NEW_PIN") == true)
    }

    @Test("CANCEL ends it at each step", arguments: [0, 1, 2])
    func cancel(_ step: Int) throws {
        let kernel = try Kernel(step == 0 ? #"{"levels":[1],"readers":[]}"# : levelOne())
        _ = kernel(changePIN)
        if step == 2 { _ = kernel(set("PIN", "123456")) }
        #expect(kernel(#"{"cmd":"CANCEL"}"#) == [#"{"msg":"CHANGE_PIN","success":false}"#])
        #expect(kernel(#"{"cmd":"CANCEL"}"#) == [#"{"msg":"BAD_STATE","error":"CANCEL"}"#])
    }

    @Test("INSERT_CARD comes once, and a deactivated or unknown card does not end it")
    func insert() throws {
        let kernel = try Kernel(#"{"levels":[1],"readers":[{"name":"NFC"}]}"#)
        let scenario = try Scenario(
            parsing: Data(
                #"{"cards":{"off":{"deactivated":true},"other":{"unknown":true}},"readers":[{"name":"a","card":"off"},{"name":"b","card":"other"}]}"#
                    .utf8))
        #expect(kernel(changePIN) == [started, #"{"msg":"INSERT_CARD"}"#])
        let off = try #require(scenario.readers[0].card)
        #expect(kernel.perform(.insert(off, reader: "NFC")).map { $0.contains(#""deactivated":true"#) } == [true])
        _ = kernel.perform(.remove(reader: "NFC"))
        let other = try #require(scenario.readers[1].card)
        _ = kernel.perform(.insert(other, reader: "NFC"))
        _ = kernel.perform(.remove(reader: "NFC"))
        let card = try #require(Scenario.defaultCard)
        #expect(kernel.perform(.insert(card, reader: "NFC")) == [reader(3), enter("ENTER_PIN", 3)])
    }

    @Test("What is entered while the card is gone is used when it comes back")
    func gone() throws {
        let kernel = try Kernel(levelOne())
        let card = try #require(Scenario.defaultCard)
        _ = kernel(changePIN)
        #expect(
            kernel.perform(.remove(reader: "NFC")) == [
                #"{"msg":"READER","name":"NFC","attached":true,"keypad":false,"card":null}"#
            ])
        // The AusweisApp says the card as it was.
        #expect(kernel(set("PIN", "1")) == [enter("ENTER_PIN", 3, error: "You must provide 5 - 6 digits")])
        #expect(kernel(set("PIN", "123456")) == [#"{"msg":"INSERT_CARD"}"#])
        #expect(kernel.perform(.insert(card, reader: "NFC")) == [reader(3), enter("ENTER_NEW_PIN", 3)])
        _ = kernel.perform(.detach(reader: "NFC"))
        #expect(kernel(set("NEW_PIN", "222222")) == [#"{"msg":"INSERT_CARD"}"#])
        _ = kernel.perform(.attach(reader: "NFC"))
        #expect(
            kernel.perform(.insert(card, reader: "NFC")) == [reader(3), #"{"msg":"CHANGE_PIN","success":true}"#])
    }

    @Test("What was entered for another card is not used if the card needs something else, or has another PIN")
    func anotherCard() throws {
        let others = try Scenario(
            parsing: Data(
                #"{"cards":{"l":{"tries":1},"p":{"pin":"999999"}},"readers":[{"name":"l","card":"l"},{"name":"p","card":"p"}]}"#
                    .utf8))
        let lastTry = try #require(others.readers[0].card)
        let otherPIN = try #require(others.readers[1].card)
        let kernel = try Kernel(levelOne())
        _ = kernel(changePIN)
        _ = kernel.perform(.remove(reader: "NFC"))
        _ = kernel(set("PIN", "123456"))
        #expect(kernel.perform(.insert(lastTry, reader: "NFC")) == [reader(1), enter("ENTER_CAN", 1)])
        let second = try Kernel(levelOne())
        _ = second(changePIN)
        _ = second(set("PIN", "123456"))
        _ = second.perform(.remove(reader: "NFC"))
        _ = second(set("NEW_PIN", "222222"))
        #expect(
            second.perform(.insert(otherPIN, reader: "NFC")) == [reader(3), reader(2), enter("ENTER_PIN", 2)])
    }

    @Test("While a deactivated card is there, nothing is asked")
    func deactivated() throws {
        let kernel = try Kernel(levelOne(card: #"{"deactivated":true}"#))
        #expect(kernel(#"{"cmd":"GET_READER","name":"NFC"}"#).first?.contains(#""retryCounter":0"#) == true)
        #expect(kernel(changePIN) == [started])
        #expect(kernel.perform(.remove(reader: "NFC")).count == 1)
        let card = try #require(Scenario.defaultCard)
        #expect(kernel.perform(.insert(card, reader: "NFC")) == [reader(3), enter("ENTER_PIN", 3)])
    }

    @Test("After a wrong PIN and the right one READER comes at the end", arguments: [true, false])
    func counterAtTheEnd(_ isCancelled: Bool) throws {
        let kernel = try Kernel(levelOne())
        _ = kernel(changePIN)
        _ = kernel(set("PIN", "000000"))
        #expect(kernel(set("PIN", "123456")) == [enter("ENTER_NEW_PIN", 3)])
        #expect(
            kernel(isCancelled ? #"{"cmd":"CANCEL"}"# : set("NEW_PIN", "222222")) == [
                reader(3), #"{"msg":"CHANGE_PIN","success":\#(!isCancelled)}"#,
            ])
    }

    @Test("An exhausted PUK is said each time")
    func exhaustedAgain() throws {
        let kernel = try Kernel(levelOne(card: #"{"tries":0,"pukUses":0}"#))
        for _ in 0..<2 {
            _ = kernel(changePIN)
            #expect(kernel(set("PUK", "1234567890")).first == reader(0, inoperative: true))
        }
    }

    @Test("A disconnect cancels the workflow")
    func disconnect() throws {
        let kernel = try Kernel(levelOne())
        _ = kernel(changePIN)
        kernel.disconnect()
        #expect(kernel(changePIN) == [started, enter("ENTER_PIN", 3)])
    }
}

@Suite("The simulated kernel: authentication")
struct SimulatedAuthenticationTests {
    private let rights =
        #"{"msg":"ACCESS_RIGHTS","chat":{"effective":["FamilyName","GivenNames"],"optional":["GivenNames"],"required":["FamilyName"]}}"#
    private let service = #","service":{"required":["FamilyName"],"optional":["GivenNames"]}"#

    @Test("It is in the order of document 000, and its result says that it is a simulation")
    func minimal() throws {
        let kernel = try Kernel(levelOne(more: service))
        #expect(kernel(authenticate) == [#"{"msg":"AUTH"}"#, rights])
        #expect(kernel(#"{"cmd":"GET_CERTIFICATE"}"#).first?.contains("SIMULATION") == true)
        #expect(kernel(#"{"cmd":"ACCEPT"}"#) == [enter("ENTER_PIN", 3)])
        #expect(kernel(set("PIN", "12345")) == [enter("ENTER_PIN", 3, error: "You must provide 6 digits")])
        #expect(
            kernel(set("PIN", "123456")) == [
                #"{"msg":"AUTH","result":{"major":"http://www.bsi.bund.de/ecard/api/1.1/resultmajor#ok"},"#
                    + #""url":"https://simulation.invalid/eid?refID=simulation"}"#
            ])
    }

    @Test("With a transport PIN nobody can be identified")
    func transportPIN() throws {
        let kernel = try Kernel(levelOne(card: #"{"pin":"12345"}"#))
        _ = kernel(authenticate)
        _ = kernel(#"{"cmd":"ACCEPT"}"#)
        #expect(kernel(set("PIN", "012345")) == [reader(2), enter("ENTER_PIN", 2)])
    }

    @Test("CANCEL is said to the service in the words of document 000")
    func cancel() throws {
        let kernel = try Kernel(levelOne())
        _ = kernel(authenticate)
        let text = kernel(#"{"cmd":"CANCEL"}"#).first ?? ""
        #expect(text.contains("resultminor/sal#cancellationByUser"))
        #expect(text.contains(#""description":"The process has been cancelled.""#))
    }

    @Test("Optional rights can be refused and granted, and wrong ones are named")
    func chat() throws {
        let kernel = try Kernel(levelOne(more: service))
        _ = kernel(authenticate)
        let without = rights.replacingOccurrences(of: #"["FamilyName","GivenNames"]"#, with: #"["FamilyName"]"#)
        #expect(kernel(#"{"cmd":"SET_ACCESS_RIGHTS","chat":[]}"#) == [without])
        #expect(kernel(#"{"cmd":"GET_ACCESS_RIGHTS"}"#) == [without])
        #expect(kernel(#"{"cmd":"SET_ACCESS_RIGHTS","chat":["GivenNames"]}"#) == [rights])
        for (chat, error) in [
            ("", "'chat' cannot be undefined"), (#","chat":1"#, "Invalid 'chat' data"),
            (#","chat":[1]"#, "Entry in 'chat' data needs to be string"),
            (#","chat":["Nothing"]"#, "Entry in 'chat' data is invalid"),
            (#","chat":["Address"]"#, "Entry in 'chat' data is not available"),
        ] {
            let answer = kernel(#"{"cmd":"SET_ACCESS_RIGHTS"\#(chat)}"#)
            #expect(answer.first?.contains(#""error":"\#(error)""#) == true, "\(answer)")
        }
        let plain = try Kernel(levelOne())
        _ = plain(authenticate)
        #expect(
            plain(#"{"cmd":"SET_ACCESS_RIGHTS","chat":[]}"#).first?.contains("No optional access rights available")
                == true)
    }

    @Test(
        "A wrong address is refused, and starts nothing",
        arguments: [
            ("", "tcTokenURL cannot be undefined"), (#","tcTokenURL":1"#, "Invalid tcTokenURL"),
            (#","tcTokenURL":"x""#, "Validation of tcTokenURL failed"),
            (#","tcTokenURL":"https:///x""#, "Validation of tcTokenURL failed"),
        ])
    func address(_ member: String, _ error: String) throws {
        let kernel = try Kernel(levelOne())
        #expect(kernel(#"{"cmd":"RUN_AUTH"\#(member)}"#) == [#"{"msg":"AUTH","error":"\#(error)"}"#])
        #expect(kernel(#"{"cmd":"CANCEL"}"#) == [#"{"msg":"BAD_STATE","error":"CANCEL"}"#])
    }

    @Test("A failure at once is AUTH twice")
    func failure() throws {
        let kernel = try Kernel(levelOne(more: #","service":{"failsAtOnce":true}"#))
        let answers = kernel(authenticate)
        #expect(answers.count == 2 && answers[0] == #"{"msg":"AUTH"}"#)
        #expect(answers.last?.contains("trustedChannelEstablishmentFailed") == true)
    }

    @Test("An address without TLS is not refused, but nothing is found there")
    func withoutTLS() throws {
        let kernel = try Kernel(#"{"levels":[2]}"#)
        let answers = kernel(#"{"cmd":"RUN_AUTH","tcTokenURL":"http://service.example/token"}"#)
        #expect(answers.count == 4 && answers[0] == #"{"msg":"AUTH"}"#)
        #expect(answers[1...2].map { $0.contains(#""progress":0"#) || $0.contains(#""progress":80"#) } == [true, true])
        #expect(answers.last?.contains("trustedChannelEstablishmentFailed") == true)
    }

    @Test("ACCESS_RIGHTS says what the service compares with the card, and whether the CAN is enough")
    func auxiliaryData() throws {
        let kernel = try Kernel(
            levelOne(
                more: #","service":{"required":["FamilyName"],"transactionInfo":"T","canAllowed":false,"aux":"#
                    + #"{"ageVerificationDate":"1999-07-20","requiredAge":"18","validityDate":"2017-07-20","#
                    + #""communityId":"02760400110000"}}"#))
        // The members of document 000, in its order.
        let rights =
            #"{"msg":"ACCESS_RIGHTS","aux":{"ageVerificationDate":"1999-07-20","requiredAge":"18","#
            + #""validityDate":"2017-07-20","communityId":"02760400110000"},"chat":{"effective":["FamilyName"],"#
            + #""optional":[],"required":["FamilyName"]},"transactionInfo":"T","canAllowed":false}"#
        #expect(kernel(authenticate).last == rights)
        #expect(throws: Scenario.Fault.self) {
            _ = try Kernel(#"{"service":{"aux":{"validityDate":"20.7.2017"}}}"#)
        }
    }

    @Test("Levels 1 and 2 give no reasons, because their documents have none", arguments: [1, 2, 3])
    func reasons(level: Int) throws {
        let kernel = try Kernel()
        _ = kernel(#"{"cmd":"SET_API_LEVEL","level":\#(level)}"#)
        for command in [authenticate, changePIN] {
            _ = kernel(command)
            let end = kernel(#"{"cmd":"CANCEL"}"#).last ?? ""
            #expect(end.contains(#""reason":"User_Cancelled""#) == (level == 3), "\(end)")
        }
    }

    @Test("With the right CanAllowed the CAN is enough")
    func canAllowed() throws {
        let kernel = try Kernel(levelOne(more: #","service":{"required":["CanAllowed"]}"#))
        _ = kernel(authenticate)
        #expect(kernel(#"{"cmd":"ACCEPT"}"#) == [enter("ENTER_CAN", 3)])
        #expect(kernel(set("CAN", "654321")).first?.contains("resultmajor#ok") == true)
    }
}

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
