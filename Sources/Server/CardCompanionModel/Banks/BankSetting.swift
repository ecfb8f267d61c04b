/// One of a bank's settings: its name, what it may be, and which change tightens it. ``BankSettings`` has the values.
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

    /// In the text of the settings: `retryLimit`.
    package let name: String
    /// The option that sets it: `--retry-limit`.
    package let option: String
    package let tightening: Tightening
    /// What a value must be, for error messages: `must be between 1 and 20`.
    package let rule: String

    /// The value as text, in one line. Each value has one text.
    package let text: @Sendable (BankSettings) -> String
    /// Whether a bank can be without it in its text.
    package var hasDefault: Bool { !["name", "programme", "scheme"].contains(name) }

    private let read: @Sendable (inout BankSettings, String) -> Bool
    /// Whether a value follows ``rule``.
    package let isAllowed: @Sendable (BankSettings) -> Bool

    private typealias Path<Value> = WritableKeyPath<BankSettings, Value> & Sendable

    private init<Value>(
        _ name: String, _ option: String, _ path: any Path<Value>, _ tightening: Tightening, rule: String,
        text: @escaping @Sendable (Value) -> String, parse: @escaping @Sendable (String) -> Value?,
        allows: @escaping @Sendable (Value) -> Bool = { _ in true }
    ) {
        self.name = name
        self.option = option
        self.tightening = tightening
        self.rule = rule
        self.text = { text($0[keyPath: path]) }
        read = { settings, line in
            guard let value = parse(line), text(value) == line, allows(value) else { return false }
            settings[keyPath: path] = value
            return true
        }
        isAllowed = { allows($0[keyPath: path]) }
    }

    private static func number(
        _ name: String, _ option: String, _ path: any Path<Int>, _ range: ClosedRange<Int>,
        _ tightening: Tightening = .never
    ) -> BankSetting {
        BankSetting(
            name, option, path, tightening, rule: "must be between \(range.lowerBound) and \(range.upperBound)",
            text: { "\($0)" }, parse: { Int($0) }, allows: { range ~= $0 })
    }

    private static func flag(
        _ name: String, _ option: String, _ path: any Path<Bool>, _ tightening: Tightening = .never
    ) -> BankSetting {
        BankSetting(
            name, option, path, tightening, rule: "must be true or false", text: { "\($0)" }, parse: { Bool($0) })
    }

    private static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ option: String, _ path: any Path<Value>, _ tightening: Tightening = .never
    ) -> BankSetting {
        BankSetting(
            name, option, path, tightening, rule: "must be \(Value.allCases.map(\.rawValue).joined(separator: ", "))",
            text: { $0.rawValue }, parse: { Value(rawValue: $0) })
    }

    private static func list<Value: RawRepresentable<String> & CaseIterable & Hashable & Sendable>(
        _ name: String, _ option: String, _ path: any Path<Set<Value>>, _ tightening: Tightening
    ) -> BankSetting {
        BankSetting(
            name, option, path, tightening,
            rule: "must list \(Value.allCases.map(\.rawValue).joined(separator: ", ")), or be none",
            text: { $0.map(\.rawValue).sorted().joined(separator: ",") },
            parse: { line in
                let values = line.split(separator: ",").map { Value(rawValue: String($0)) }
                return values.contains { $0 == nil } ? nil : Set(values.compactMap(\.self))
            })
    }

    private static func line(
        _ name: String, _ option: String, _ path: any Path<String>, rule: String,
        allows: @escaping @Sendable (String) -> Bool
    ) -> BankSetting {
        BankSetting(
            name, option, path, .never, rule: rule, text: EscapedLine.text, parse: EscapedLine.parse, allows: allows)
    }
}

extension BankSetting {
    /// Every setting, in the order of the text.
    package static let all: [BankSetting] =
        whoSettings + limitSettings + deliverySettings + definitionSettings + documentSettings

    private static let whoSettings: [BankSetting] = [
        .line("name", "--name", \.name, rule: "must have 1 to 200 characters") { 1...200 ~= $0.unicodeScalars.count },
        .line("programme", "--programme", \.programme, rule: "must have \(Identifier.rule)") { Identifier($0) != nil },
        .choice("scheme", "--scheme", \.scheme),
    ]

    private static let limitSettings: [BankSetting] = [
        .number(
            "timestampTolerance", "--timestamp-tolerance", \.timestampToleranceSeconds,
            1...BankSettings.timestampToleranceLimitSeconds, .smaller),
        .number("sessionLifetime", "--session-lifetime", \.sessionLifetimeSeconds, 30...86_400, .smaller),
        .number("undeliveredLifetime", "--undelivered-lifetime", \.undeliveredLifetimeDays, 1...3650, .smaller),
        .number("retryLimit", "--retry-limit", \.retryLimit, 1...20, .smaller),
        .number("fetchLimit", "--fetch-limit", \.fetchLimit, 1...100, .smaller),
        .number("definitionsPerDay", "--definitions-per-day", \.definitionsPerDay, 1...100, .smaller),
        .number("pinMinimumLength", "--pin-minimum-length", \.pinMinimumLength, 4...12, .larger),
        .number("pinMaximumLength", "--pin-maximum-length", \.pinMaximumLength, 4...12),
        .choice("codeAlphabet", "--code-alphabet", \.codeAlphabet),
        .number("codeMinimumLength", "--code-minimum-length", \.codeMinimumLength, 4...64, .larger),
        .number("codeMaximumLength", "--code-maximum-length", \.codeMaximumLength, 4...64),
    ]

    private static let deliverySettings: [BankSetting] = [
        .choice("retention", "--retention", \.retention, .only("erase")),
        .flag("reminders", "--reminders", \.reminders, .only("false")),
        .choice("deliveryFormat", "--delivery-format", \.deliveryFormat),
        .choice("imageStyle", "--image-style", \.imageStyle),
        .list("hints", "--hints", \.hints, .fewer),
        .flag("textPINs", "--text-pins", \.textPINs, .only("false")),
        .flag("uniformErrors", "--uniform-errors", \.uniformErrors, .only("true")),
        .choice("sealedValues", "--sealed-values", \.sealedValues, .only("bound")),
        .flag("checkUniqueIds", "--check-unique-ids", \.checksUniqueIds, .only("true")),
    ]

    private static let definitionSettings: [BankSetting] = [
        .flag("definition", "--definition", \.definition, .only("false")),
        .choice("definedPINs", "--defined-pins", \.definedPINs),
        BankSetting(
            "definedPINKey", "--defined-pin-key", \.definedPINKey, .never, rule: "must have \(Identifier.rule)",
            text: { EscapedLine.text($0 ?? "") }, parse: { $0.isEmpty ? .some(nil) : EscapedLine.parse($0) },
            allows: { $0.map { Identifier($0) != nil } ?? true }),
        .list("pinBlocks", "--pin-blocks", \.pinBlocks, .fewer),
        .flag("definitionResetsDelivery", "--definition-resets-delivery", \.definitionResetsDelivery),
        .list("weakPINRules", "--weak-pin-rules", \.weakPINRules, .more),
        BankSetting(
            "listedPINs", "--weak-pin-file", \.listedPINs, .more,
            rule: "must have at most 10000 PINs of 4 to 12 digits, one per line",
            text: { $0.sorted().joined(separator: ",") }, parse: { $0.split(separator: ",").map(String.init) },
            allows: { pins in
                pins.count <= 10_000
                    && pins.allSatisfy { 4...12 ~= $0.utf8.count && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }
            }),
    ]

    private static let documentSettings: [BankSetting] = [
        .choice("identityCheck", "--identity-check", \.identityCheck, .only("both")),
        .choice("identityAssurance", "--identity-assurance", \.identityAssurance, .only("chip")),
        .number("identityLifetime", "--identity-lifetime", \.identityLifetimeSeconds, 60...86_400, .smaller),
    ]

    /// Sets a value from its ``text``.
    ///
    /// - Returns: false if the text is no allowed value. Then nothing is changed.
    package func set(_ text: String, in settings: inout BankSettings) -> Bool { read(&settings, text) }

    /// Whether a value is as tight as another one, or tighter.
    package func isWithin(_ value: String, _ other: String) -> Bool {
        if value == other { return true }
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
