import Foundation
import Testing

@testable import EIDInterface

@Suite("Commands")
struct CommandTests {
    static func secret(_ digits: String) throws -> CardSecret { try #require(CardSecret(digits: digits)) }

    /// The commands of document 000, chapter 5, in its order.
    static func documented() throws -> [Command] {
        let dialog = DialogMessages(
            sessionStarted: "Please place your ID card on the top of the device's back side.",
            sessionFailed: "Scanning process failed.",
            sessionSucceeded: "Scanning process has been finished successfully.",
            sessionInProgress: "Scanning process is in progress.")
        let url = try #require(
            URL(
                string: "https://test.governikus-eid.de/Autent-DemoApplication/RequestServlet"
                    + "?provider=demo_epa_20&redirect=true"))
        return [
            .getInfo, .getAPILevel, .setAPILevel(1), .getReader(name: "NAME OF THE READER"), .getReaderList,
            .runAuth(RunAuth(tcTokenURL: url, handleInterrupt: true, messages: dialog)),
            .runChangePIN(RunChangePIN(handleInterrupt: true, messages: dialog)),
            .getAccessRights, .setAccessRights([]), .setAccessRights([.FamilyName]), .getCertificate, .cancel, .accept,
            .interrupt, .setPIN(try secret("123456")), .setNewPIN(try secret("123456")), .setCAN(try secret("123456")),
            .setPUK(try secret("1234567890")),
        ]
    }

    @Test("Every command of document 000 is written byte by byte as its example")
    func examples() throws {
        let commands = try Self.documented()
        #expect(commands.count == DocumentExamples.commands.count)
        for (command, example) in zip(commands, DocumentExamples.commands) {
            #expect(command.text.string == withoutWhiteSpace(example))
        }
    }

    @Test("The examples and the commands of later levels are all commands that there are")
    func complete() throws {
        let later: [Command] = [.getStatus, .setCard(name: "Simulator", nil), .continueWorkflow]
        let names = Set(try Self.documented().map(\.name) + later.map(\.name))
        #expect(names == Set(Command.Name.allCases))
    }

    @Test("Commands of later levels have their parameters")
    func laterLevels() throws {
        #expect(Command.getStatus.text.string == #"{"cmd":"GET_STATUS"}"#)
        #expect(Command.continueWorkflow.text.string == #"{"cmd":"CONTINUE"}"#)
        let files = SimulatedFiles(
            files: [.init(fileId: "0101", shortFileId: "01", content: "610413024944")],
            keys: [.init(id: 1, content: "30")])
        #expect(
            Command.setCard(name: "Simulator", files).text.string
                == #"{"cmd":"SET_CARD","name":"Simulator","simulator":{"files":"#
                + #"[{"fileId":"0101","shortFileId":"01","content":"610413024944"}],"keys":[{"id":1,"content":"30"}]}}"#
        )
        #expect(
            Command.runChangePIN(RunChangePIN(status: false)).text.string
                == #"{"cmd":"RUN_CHANGE_PIN","status":false}"#)
    }

    @Test("A value is left out for a reader with a keypad")
    func keypad() {
        #expect(Command.setPIN(nil).text.string == #"{"cmd":"SET_PIN"}"#)
        #expect(Command.setPUK(nil).text.string == #"{"cmd":"SET_PUK"}"#)
    }

    @Test("Names of readers are escaped")
    func escaping() {
        let text = Command.getReader(name: "a\"b\\c\u{1}\t é").text.string
        #expect(text == #"{"cmd":"GET_READER","name":"a\"b\\c\u0001\t é"}"#)
    }

    @Test(
        "A secret has 1 to 10 digits and nothing else",
        arguments: ["", "12345a", "12345678901", "１２３", "-1", " 123456"])
    func digits(_ text: String) {
        #expect(CardSecret(digits: text) == nil)
    }

    @Test("Each kind of secret has its number of digits")
    func kinds() throws {
        let lengths: [CardSecret.Kind: [Int]] = [
            .pin: [6], .pinOrTransportPIN: [5, 6], .newPIN: [6], .can: [6], .puk: [10],
        ]
        for (kind, allowed) in lengths {
            for length in 1...10 {
                #expect(try Self.secret(String(repeating: "7", count: length)).fits(kind) == allowed.contains(length))
            }
        }
    }
}
