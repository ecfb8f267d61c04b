import CardCompanionAPI
import Testing

@Suite struct CodeTests {
    // The codes in tables 1 and 3 of the SDK document. 0 (success) is added: table 3 does not list it.
    private static let table1 =
        [0] + Array(100...113) + Array(200...210) + Array(300...309) + [312, 500]
    private static let table3 =
        [0, 100, 101, 107, 110, 111, 114, 115, 116, 117, 118, 120, 121, 130, 131, 140, 141]
        + [200, 201, 206, 207, 208, 209, 210, 211, 212, 213, 214, 300]

    @Test func `DistributionCode has exactly the codes of table 1`() {
        #expect(DistributionCode.allCases.map(\.rawValue) == Self.table1)
    }

    @Test func `DefinitionCode has exactly the codes of table 3 and 0`() {
        #expect(DefinitionCode.allCases.map(\.rawValue) == Self.table3)
    }

    @Test func `LibraryCode has exactly the codes 90000 to 90015`() {
        #expect(LibraryCode.allCases.map(\.rawValue) == Array(90000...90015))
    }

    @Test func `Messages are unique within each code type`() {
        #expect(Set(DistributionCode.allCases.map(\.message)).count == DistributionCode.allCases.count)
        #expect(Set(DefinitionCode.allCases.map(\.message)).count == DefinitionCode.allCases.count)
        #expect(Set(LibraryCode.allCases.map(\.message)).count == LibraryCode.allCases.count)
    }

    @Test func `Messages match the SDK document`() {
        #expect(DistributionCode.transactionAlreadyTreated.message == "Given transaction ID has already been treated")
        #expect(DistributionCode.badParameter.message == "Given parameter has bad value")
        #expect(DefinitionCode.invalidTokenType.message == "Field type in token is invalid (must be equals to 2 or 02)")
        #expect(LibraryCode.badPINFormat.message == "PIN bad length (4 to 6 digits) or bad format")
    }
}
