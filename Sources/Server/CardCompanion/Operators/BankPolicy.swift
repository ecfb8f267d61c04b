package import CardCompanionModel

/// A bank's settings and status as a text that two operators approve. After that, one operator can tighten some of them.
package struct BankPolicy: Sendable {
    package let bankId: Identifier
    private let settings: BankSettings
    private let status: Activity

    private static let statusName = "status"

    package init(_ id: Identifier, _ settings: BankSettings, _ status: Activity) {
        bankId = id
        self.settings = settings
        self.status = status
    }

    package init(_ bank: BankRecord) {
        self.init(bank.id, bank.settings, bank.status)
    }

    /// One line for the status, and one per setting.
    package var text: String { "\(Self.statusName)=\(status.rawValue)\n\(settings.text)" }

    /// The settings that ``text`` leaves out, with the defaults that they therefore have: `bindings=accept`.
    package var leftOut: [String] {
        let named = try? SettingLines(text)
        return BankSetting.all.filter { named?[$0.name] == nil }.map { "\($0.name)=\($0.text(settings))" }
    }

    /// Whether each setting is as approved, or tighter. A setting that the approved text does not know, because it is newer,
    /// must have its default.
    ///
    /// - Parameter approved: the ``text`` of the approved settings.
    package func isWithin(_ approved: String) -> Bool {
        guard let lines = try? SettingLines(approved), let approvedStatus = lines[Self.statusName],
            status == .disabled || approvedStatus == status.rawValue
        else { return false }
        return BankSetting.all.allSatisfy { setting in
            guard let value = lines[setting.name] ?? Self.default(of: setting) else { return false }
            return setting.isWithin(setting.text(settings), value)
        }
    }

    /// The settings that are not as in another text, one line for each: `retryLimit 3 -> 4`.
    ///
    /// - Parameter other: the ``text`` of other settings. It can be of a program that knew fewer.
    package func differences(from other: String) -> [String] {
        guard let before = try? SettingLines(other), let after = try? SettingLines(text) else {
            return ["all settings are new: this program cannot read what was approved"]
        }
        let defaults = BankSetting.all.map { ($0.name, Self.default(of: $0)) }
        return ([(Self.statusName, nil)] + defaults).compactMap { name, value in
            let (old, new) = (before[name] ?? value, after[name] ?? value)
            return old == new ? nil : "\(name) \(Self.shown(old)) -> \(Self.shown(new))"
        }
    }

    /// The same for the audit trail and the log, which have no PINs: of the bank's list they say only that it changed.
    package func recordedDifferences(from other: String) -> [String] {
        differences(from: other).map { $0.hasPrefix("listedPINs ") ? "listedPINs changed" : $0 }
    }

    private static func shown(_ value: String?) -> String {
        guard let value else { return "(not set)" }
        return value.isEmpty ? "none" : value
    }

    private static func `default`(of setting: BankSetting) -> String? {
        setting.hasDefault ? setting.text(.ofOlderTexts) : nil
    }
}
