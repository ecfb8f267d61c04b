import CardCompanionModel
import PINBlocks
import Testing

@Suite("Formats of PIN blocks")
struct PINBlockKindTests {
    @Test("A bank can be allowed each format that can be opened, and no other one")
    func formats() {
        #expect(PINBlockKind.allCases.map(\.rawValue) == PINBlockFormat.allCases.map(\.rawValue))
    }
}
