/// One of a bank's settings: how it is written, what it may be, and which change tightens it. ``BankSettings`` has the values.
package struct BankSetting: Sendable {
    /// Which values are as tight as another one, or tighter. With dual control one operator can tighten a setting.
    package enum Tightening: Sendable {
        /// Only the same value.
        case never
        case smaller, larger
        /// Fewer members of a list, or more.
        case fewer, more
        /// This value is tighter than any other.
        case only(String)
    }

    /// A value as the commands show it.
    package enum Shown: Sendable, Equatable {
        case number(Int)
        case flag(Bool)
        /// Nil: none.
        case word(String?)
        case words([String])
    }

    package enum Unit: String, Sendable {
        case seconds, days
    }

    /// How an option's value becomes the value's text.
    fileprivate enum OptionForm {
        case plain
        case line
        /// `none` is empty.
        case label
        /// Members in any order, or `none`.
        case list
        /// The members are the lines of a file.
        case file
    }

    /// In the text of the settings: `retryLimit`.
    package let name: String
    /// The option that sets it: `--retry-limit`.
    package let option: String
    package let tightening: Tightening
    /// What a value must be, for error messages: `must be between 1 and 20`.
    package let rule: String
    /// What an operator reads about it, with its default.
    package let help: String
    /// The values, or members of a list, that it can have; empty if there are too many.
    package let choices: [String]
    /// Of a number; nil if it has none.
    package let unit: Unit?
    /// The value as the commands show it.
    package let shown: @Sendable (BankSettings) -> Shown
    /// The value as text, in one line. Each value has one text.
    package let text: @Sendable (BankSettings) -> String
    /// Whether a value follows ``rule``.
    package let isAllowed: @Sendable (BankSettings) -> Bool

    /// Whether it came after version 0.2.0, which serves no bank whose text has it.
    package private(set) var isNewer = false

    private let form: OptionForm
    private let read: @Sendable (inout BankSettings, String) -> Bool

    private init<Value>(
        _ name: String, _ option: String, _ path: any WritableKeyPath<BankSettings, Value> & Sendable,
        _ tightening: Tightening, help: String, rule: String, choices: [String] = [], form: OptionForm = .plain,
        unit: Unit? = nil, shown: @escaping @Sendable (Value) -> Shown,
        text: @escaping @Sendable (Value) -> String, parse: @escaping @Sendable (String) -> Value?,
        allows: @escaping @Sendable (Value) -> Bool = { _ in true }
    ) {
        self.name = name
        self.option = option
        self.tightening = tightening
        self.help = help
        self.rule = rule
        self.choices = choices
        self.form = form
        self.unit = unit
        self.shown = { shown($0[keyPath: path]) }
        self.text = { text($0[keyPath: path]) }
        read = { settings, line in
            guard let value = parse(line), text(value) == line, allows(value) else { return false }
            settings[keyPath: path] = value
            return true
        }
        isAllowed = { allows($0[keyPath: path]) }
    }

    /// The same setting, marked as one that came after version 0.2.0.
    func newer() -> BankSetting {
        var setting = self
        setting.isNewer = true
        return setting
    }

    /// The option's name without its hyphens.
    package var optionName: String { String(option.dropFirst(2)) }

    /// Whether a bank can be without it in its text.
    package var hasDefault: Bool { !["name", "programme", "scheme"].contains(name) }

    /// Whether the option names a file with the members of the list.
    package var isFile: Bool { form == .file }

    /// Sets a value from its ``text``.
    ///
    /// - Returns: false if the text is not an allowed value. Then nothing is changed.
    package func set(_ text: String, in settings: inout BankSettings) -> Bool { read(&settings, text) }

    /// Sets a value from that of the option. That of a file is its lines, with commas between them.
    ///
    /// - Returns: false if it is not an allowed value. Then nothing is changed.
    package func set(option value: String, in settings: inout BankSettings) -> Bool {
        switch form {
        case .plain: return set(value, in: &settings)
        case .line: return set(EscapedLine.text(value), in: &settings)
        case .label: return set(value == "none" ? "" : EscapedLine.text(value), in: &settings)
        case .file: return set(Self.sorted(value), in: &settings)
        case .list: return !value.isEmpty && set(value == "none" ? "" : Self.sorted(value), in: &settings)
        }
    }

    private static func sorted(_ members: String) -> String {
        members.split(separator: ",", omittingEmptySubsequences: false).sorted().joined(separator: ",")
    }

    /// Whether a value is as tight as another one, or tighter.
    package func isWithin(_ value: String, _ other: String) -> Bool {
        if value.utf8.elementsEqual(other.utf8) { return true }
        switch tightening {
        case .never: return false
        case .smaller: return Self.isOrdered(value, other)
        case .larger: return Self.isOrdered(other, value)
        case .fewer: return Self.members(value).isSubset(of: Self.members(other))
        case .more: return Self.members(value).isSuperset(of: Self.members(other))
        case .only(let tightest): return value == tightest
        }
    }

    private static func isOrdered(_ small: String, _ large: String) -> Bool {
        guard let small = Int(small), let large = Int(large) else { return false }
        return small <= large
    }

    private static func members(_ text: String) -> Set<Substring> { Set(text.split(separator: ",")) }
}

// MARK: - Kinds of settings

extension BankSetting {
    typealias Path<Value> = WritableKeyPath<BankSettings, Value> & Sendable

    static func number(
        _ name: String, _ option: String, _ path: any Path<Int>, _ range: ClosedRange<Int>,
        _ tightening: Tightening = .never, unit: Unit? = nil, help: String
    ) -> BankSetting {
        BankSetting(
            name, option, path, tightening, help: help,
            rule: "must be between \(range.lowerBound) and \(range.upperBound)", unit: unit,
            shown: { .number($0) },
            text: { "\($0)" }, parse: { Int($0) }, allows: { range ~= $0 })
    }

    static func flag(
        _ name: String, _ option: String, _ path: any Path<Bool>, _ tightening: Tightening = .never, help: String
    ) -> BankSetting {
        BankSetting(
            name, option, path, tightening, help: help, rule: "must be true or false", choices: ["true", "false"],
            shown: { .flag($0) },
            text: { "\($0)" }, parse: { Bool($0) })
    }

    static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ option: String, _ path: any Path<Value>, _ tightening: Tightening = .never, help: String
    ) -> BankSetting {
        let choices = Value.allCases.map(\.rawValue)
        return BankSetting(
            name, option, path, tightening, help: help,
            rule: "must be \(choices.dropLast().joined(separator: ", ")) or \(choices.last ?? "")",
            choices: choices, shown: { .word($0.rawValue) }, text: { $0.rawValue }, parse: { Value(rawValue: $0) })
    }

    static func list<Value: RawRepresentable<String> & CaseIterable & Hashable & Sendable>(
        _ name: String, _ option: String, _ path: any Path<Set<Value>>, _ tightening: Tightening, help: String
    ) -> BankSetting {
        let choices = Value.allCases.map(\.rawValue)
        return BankSetting(
            name, option, path, tightening, help: help,
            rule: "must list \(choices.joined(separator: ", ")), or be none", choices: choices, form: .list,
            shown: { .words($0.map(\.rawValue).sorted()) },
            text: { $0.map(\.rawValue).sorted().joined(separator: ",") },
            parse: { line in
                let values = line.split(separator: ",").map { Value(rawValue: String($0)) }
                return values.contains { $0 == nil } ? nil : Set(values.compactMap(\.self))
            })
    }

    static func line(
        _ name: String, _ option: String, _ path: any Path<String>, rule: String,
        allows: @escaping @Sendable (String) -> Bool, help: String
    ) -> BankSetting {
        BankSetting(
            name, option, path, .never, help: help, rule: rule, form: .line, shown: { .word($0) },
            text: EscapedLine.text, parse: EscapedLine.parse, allows: allows)
    }

    /// The label of a key, or nothing.
    static func label(_ name: String, _ option: String, _ path: any Path<String?>, help: String) -> BankSetting {
        BankSetting(
            name, option, path, .never, help: help, rule: "must have \(Identifier.rule)", form: .label,
            shown: { .word($0) },
            text: { EscapedLine.text($0 ?? "") }, parse: { $0.isEmpty ? .some(nil) : EscapedLine.parse($0) },
            allows: { $0.map { Identifier($0) != nil } ?? true })
    }

    static func pins(
        _ name: String, _ option: String, _ path: any Path<[String]>, _ tightening: Tightening, help: String
    ) -> BankSetting {
        BankSetting(
            name, option, path, tightening, help: help,
            rule: "must have at most 10000 PINs of 4 to 12 digits, one per line", form: .file,
            shown: { .number($0.count) },
            text: { $0.sorted().joined(separator: ",") }, parse: { $0.split(separator: ",").map(String.init) },
            allows: { pins in
                pins.count <= 10_000
                    && pins.allSatisfy { 4...12 ~= $0.utf8.count && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }
            })
    }
}
