package import Administration
package import CardCompanionModel

/// A bank as the commands show it: its settings by their table (``BankSetting/all``).
package struct BankReport: Encodable, Sendable {
    private let bank: BankRecord
    /// Why definitions are refused, if they are; nil if that is not known.
    private let definitionIsOff: String?

    package init(_ bank: BankRecord, definitionIsOff: String? = nil) {
        self.bank = bank
        self.definitionIsOff = definitionIsOff
    }

    package var shown: Shown {
        Shown(text: TextTable.text(["SETTING", "VALUE"], rows), json: self)
    }

    /// Each setting with its value, for people.
    package var rows: [[String]] {
        [["id", bank.id.text], ["status", bank.status.rawValue]]
            + BankSetting.all.map { setting in
                [
                    setting.optionName.replacing("-", with: " "),
                    definitionText(setting) ?? setting.textForPeople(bank.settings),
                ]
            }
    }

    private func definitionText(_ setting: BankSetting) -> String? {
        setting.name == "definition" ? definitionIsOff.map { "off: \($0)" } : nil
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(bank.id.text, forKey: Member("id"))
        try members.encode(bank.status.rawValue, forKey: Member("status"))
        try members.encodeIfPresent(definitionIsOff, forKey: Member("definitionIsOff"))
        for setting in BankSetting.all {
            let member = Member(setting.memberName)
            switch setting.shown(bank.settings) {
            case .number(let number): try members.encode(number, forKey: member)
            case .flag(let flag): try members.encode(flag, forKey: member)
            case .word(let word): try members.encodeIfPresent(word, forKey: member)
            case .words(let words): try members.encode(words, forKey: member)
            }
        }
    }

    private struct Member: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension BankSetting {
    /// In JSON: the name and the unit, `sessionLifetimeSeconds`.
    fileprivate var memberName: String {
        switch unit {
        case .seconds: "\(name)Seconds"
        case .days: "\(name)Days"
        case nil: name
        }
    }

    fileprivate func textForPeople(_ settings: BankSettings) -> String {
        switch shown(settings) {
        case .number(let number): unit.map { "\(number) \($0.rawValue)" } ?? "\(number)"
        case .flag(let flag): "\(flag)"
        case .word(let word): word ?? "none"
        case .words(let words): words.isEmpty ? "none" : words.joined(separator: ", ")
        }
    }
}
