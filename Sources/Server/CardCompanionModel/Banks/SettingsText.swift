/// Settings as text: one line per setting, `name=value`, in the order of ``BankSetting/all``. Equal settings have the same text,
/// so that a digest, or a signature, of the text is one of the settings.
extension BankSettings {
    package var text: String { BankSetting.all.filter { !$0.isLeftOut(self) }.map { $0.line(self) }.joined() }

    /// Reads a text. A setting that the text lacks, because it is newer, is that of ``ofOlderTexts``.
    ///
    /// - Throws: ``UnreadableSettings`` if the text is not exactly that of settings that this program allows.
    package init(text: String) throws(UnreadableSettings) {
        self = .ofOlderTexts
        var rest = BankSetting.all[...]
        var exact = ""
        for (name, value) in try SettingLines(text).lines {
            guard let index = rest.firstIndex(where: { $0.name == name }) else {
                throw UnreadableSettings(setting: name)
            }
            try Self.requireDefaults(of: rest[..<index])
            guard rest[index].set(value, in: &self), !rest[index].isLeftOut(self) else {
                throw UnreadableSettings(setting: name)
            }
            exact += rest[index].line(self)
            rest = rest[(index + 1)...]
        }
        try Self.requireDefaults(of: rest)
        // Swift compares characters, and the same character can have other bytes.
        guard exact.utf8.elementsEqual(text.utf8) else { throw UnreadableSettings(setting: "") }
        if let rule = BankSettingRule.broken(by: self) { throw UnreadableSettings(setting: rule.setting) }
    }

    private static func requireDefaults(of missing: ArraySlice<BankSetting>) throws(UnreadableSettings) {
        if let setting = missing.first(where: { !$0.hasDefault }) { throw UnreadableSettings(setting: setting.name) }
    }
}

extension BankSettings: Codable {
    /// Reads a ``text``.
    package init(from decoder: any Decoder) throws {
        try self.init(text: try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the ``text``.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension BankSetting {
    fileprivate func line(_ settings: BankSettings) -> String { "\(name)=\(text(settings))\n" }

    /// Whether the text has no line of it. During an upgrade an older server, which does not know a newer setting, must still serve
    /// a bank for which nobody has set it.
    fileprivate func isLeftOut(_ settings: BankSettings) -> Bool {
        isNewer && text(settings) == text(.ofOlderTexts)
    }
}

/// A text of settings that this program does not understand, or that breaks a rule. Its bank is not served.
package struct UnreadableSettings: Error, Equatable, CustomStringConvertible {
    /// The name of the first such setting; empty if it has no name that can be shown.
    package let setting: String

    package init(setting: String) {
        let isName = setting.utf8.count <= 64 && setting.utf8.allSatisfy { 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 }
        self.setting = isName ? setting : ""
    }

    package var description: String {
        "the settings have one that this program does not know, or a value that it does not allow"
            + (setting.isEmpty ? "" : ": '\(setting)'")
    }
}

/// The lines `name=value` of a text. No name is there twice.
package struct SettingLines {
    package let lines: [(name: String, value: String)]

    package init(_ text: String) throws(UnreadableSettings) {
        var lines: [(name: String, value: String)] = []
        // By bytes: a character of Swift can be a line end with something after it.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(decoding: parts[0], as: UTF8.self)
            guard parts.count == 2, !lines.contains(where: { $0.name == name }) else {
                throw UnreadableSettings(setting: name)
            }
            lines.append((name, String(decoding: parts[1], as: UTF8.self)))
        }
        self.lines = lines
    }

    package subscript(name: String) -> String? { lines.first { $0.name == name }?.value }
}
