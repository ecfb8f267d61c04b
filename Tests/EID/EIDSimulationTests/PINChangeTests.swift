import Foundation
import Testing

@testable import EIDInterface
@testable import EIDSimulation

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
