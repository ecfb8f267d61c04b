import Foundation
import Testing

@testable import EIDInterface
@testable import EIDSimulation

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
