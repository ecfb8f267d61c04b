/// A rule about two settings of a bank.
package struct BankSettingRule: Sendable {
    /// The name of the setting that breaks it.
    package let setting: String
    /// What an operator reads.
    package let text: String
    private let holds: @Sendable (BankSettings) -> Bool

    private static let all: [BankSettingRule] = [
        BankSettingRule(
            setting: "pinMinimumLength", text: "--pin-minimum-length must not be greater than --pin-maximum-length",
            holds: { $0.pinMinimumLength <= $0.pinMaximumLength }),
        BankSettingRule(
            setting: "codeMinimumLength", text: "--code-minimum-length must not be greater than --code-maximum-length",
            holds: { $0.codeMinimumLength <= $0.codeMaximumLength }),
        BankSettingRule(
            setting: "definedPINKey",
            text: "--defined-pin-key makes PIN blocks of format 1: --pin-blocks must list iso-1",
            holds: { $0.definedPINKey == nil || $0.pinBlocks.contains(.iso1) }),
    ]

    /// The first rule that the settings break; nil if there is none.
    package static func broken(by settings: BankSettings) -> BankSettingRule? { all.first { !$0.holds(settings) } }
}
