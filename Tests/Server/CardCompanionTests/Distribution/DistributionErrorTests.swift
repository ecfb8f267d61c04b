import CardCompanionAPI
import CardCompanionModel
import CardCompanionStore
import Testing

@testable import CardCompanion

@Suite("Distribution errors")
struct DistributionErrorTests {
    // Protocol, section 2.9, last paragraph.
    private static let codesAboutCardholder: Set<Int> = [204, 301, 302, 303, 307, 308, 309]

    @Test(
        "With uniform errors, all codes about the cardholder become one code without detail",
        arguments: DistributionCode.allCases)
    func uniformity(_ code: DistributionCode) {
        let error = DistributionError(code, detail: "detail").uniform(as: .wrongAuthenticationCode)
        #expect(error.trueCode == code)
        if Self.codesAboutCardholder.contains(code.rawValue) {
            #expect(error.code == .wrongAuthenticationCode)
            #expect(error.detail == nil)
        } else {
            #expect(error.code == code)
            #expect(error.detail == "detail")
        }
    }

    @Test("Each refusal of the store maps to the protocol's code")
    func refusals() {
        let codes: [FetchRefusal: Int] = [
            .transactionSpent: 210, .noCardholder: 301, .cardholderOfAnotherBank: 308, .wrongChannel: 309,
            .statusNotSatisfied: 302, .limitReached: 307, .codeWithoutForm: 204, .wrongCode: 203, .lockingCode: 203,
            .hmacSpent: 205,
            .noPIN: 303,
        ]
        for refusal in FetchRefusal.allCases { #expect(refusal.code.rawValue == codes[refusal]) }
    }
}
