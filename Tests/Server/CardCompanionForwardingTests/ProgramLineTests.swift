import CardCompanionModel
import Testing

@testable import CardCompanionForwarding

@Suite("Lines of a bank's program")
struct ProgramLineTests {
    @Test("A line is one JSON object, with everything that the program needs to ask for the PIN")
    func line() {
        let pin = ForwardedPIN(
            uniqueId: "Zoë\"1", event: "q83vASNFZ4kBI0VniavN7w", definedAt: Timestamp(seconds: 1_764_277_200),
            stage: .sent, attempt: 3)
        let text = String(decoding: ProgramLine(bankId: "MYBANK", pin: pin).bytes, as: UTF8.self)
        #expect(
            text == #"{"bankId":"MYBANK","uniqueId":"Zoë\"1","event":"q83vASNFZ4kBI0VniavN7w","#
                + #""definedAtMilliseconds":1764277200000,"state":"sent","attempt":3}"# + "\n")
    }

    @Test(
        "An answer says what became of a PIN",
        arguments: [
            (
                #"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"effective"}"#, DefinedPINStage.effective,
                nil, nil
            ),
            (
                #" {"state":"sent","uniqueId":"1","event":"q83vASNFZ4kBI0VniavN7w","afterSeconds":604800}  "# + "\r",
                .sent, nil, 604_800
            ),
            (
                #"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"pending","afterSeconds":1}"#, .pending, nil,
                1
            ),
            (
                #"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"failed","reason":"no such card"}"#, .failed,
                "no such card", nil
            ),
        ] as [(String, DefinedPINStage, String?, Int?)])
    func answers(line: String, stage: DefinedPINStage, reason: String?, afterSeconds: Int?) throws {
        let answer = try ProgramAnswer(line)
        #expect(
            answer.report
                == ForwardedPINReport(
                    uniqueId: "1", event: "q83vASNFZ4kBI0VniavN7w", stage: stage, reason: reason,
                    afterSeconds: afterSeconds))
    }

    @Test(
        "Anything else is refused, and the refusal does not repeat it",
        arguments: [
            ("", "not one JSON object"), ("ok", "not one JSON object"), ("[]", "not one JSON object"),
            (#"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"sent"} {}"#, "not one JSON object"),
            (
                #"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"sent","pin":"4711"}"#,
                "member that is none of"
            ),
            (#"{"uniqueId":"1","state":"sent"}"#, "event must"),
            (#"{"event":"","uniqueId":"1","state":"sent"}"#, "event must"),
            (#"{"event":7,"uniqueId":"1","state":"sent"}"#, "event must"),
            (#"{"event":"4111111111111111","uniqueId":"1","state":"sent"}"#, "event must"),
            (#"{"event":"q83vASNFZ4kBI0VniavN7w","state":"sent"}"#, "uniqueId must"),
            (#"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"","state":"sent"}"#, "uniqueId must"),
            (#"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1"}"#, "state must"),
            (#"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"done"}"#, "state must"),
            (#"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"sent","reason":"x"}"#, "reason is for"),
            (
                #"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"failed","reason":null}"#,
                "reason must be one line"
            ),
            (
                #"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"failed","reason":"a\nb"}"#,
                "reason must be one line"
            ),
            (
                #"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"failed","reason":"4111111111111111"}"#,
                "card number"
            ),
            (
                #"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"sent","afterSeconds":0}"#,
                "afterSeconds must"
            ),
            (
                #"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"sent","afterSeconds":604801}"#,
                "afterSeconds must"
            ),
            (
                #"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"sent","afterSeconds":"5"}"#,
                "afterSeconds must"
            ),
            (
                #"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"sent","afterSeconds":1.5}"#,
                "afterSeconds must"
            ),
            (
                #"{"event":"q83vASNFZ4kBI0VniavN7w","uniqueId":"1","state":"effective","afterSeconds":5}"#,
                "afterSeconds is for"
            ),
        ])
    func refused(line: String, problem: String) throws {
        let error = try #require(throws: ProgramProblem.self) { _ = try ProgramAnswer(line) }
        #expect("\(error)".contains(problem), "\(error)")
        for secret in ["4711", "4111"] { #expect(!"\(error)".contains(secret)) }
    }
}
