import CardCompanionSDK
import Testing

@Suite struct KeyPadTests {
    private static let keypad12 = ["4", "3", "2", nil, "6", "9", "0", "7", "5", nil, "8", "1"]
    private static let keypad15 = ["3", "8", nil, "5", "1", "0", nil, "9", nil, "4", nil, "7", "2", nil, "6"]

    // The two examples of section 5.5 of the SDK document.
    @Test(arguments: [("4343", keypad12, "0,1,0,1"), ("5959", keypad15, "3,7,3,7")])
    func `Indexes match the examples of section 5_5`(pin: String, keypad: [String?], indexes: String) {
        #expect(KeyPad.indexes(of: pin, in: keypad) == indexes)
    }

    @Test func `A PIN that is empty or has a digit missing from the keypad has no indexes`() {
        #expect(KeyPad.indexes(of: "12a4", in: Self.keypad12) == nil)
        #expect(KeyPad.indexes(of: "", in: Self.keypad12) == nil)
        #expect(KeyPad.indexes(of: "1234", in: ["1", "2", "3"]) == nil)
    }
}
