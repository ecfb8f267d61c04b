package import CardCompanionModel

/// A bank's settings and status as a text that two operators approve. After that, one operator can tighten some of them.
package struct BankPolicy: Sendable {
    package let bankId: Identifier
    private let fields: [Field]

    /// When a change needs only one operator.
    private enum Tightening {
        case never
        case smaller
        case larger
        /// Fewer members.
        case fewer
        /// More members.
        case more
        case only(String)
    }

    private struct Field {
        let name: String
        let value: String
        let tightening: Tightening

        /// Whether the value is the approved one or a tighter one.
        func isWithin(_ approved: String) -> Bool {
            if value == approved { return true }
            switch tightening {
            case .never: return false
            case .smaller: return Field.isOrdered(value, approved)
            case .larger: return Field.isOrdered(approved, value)
            case .fewer: return Field.members(value).isSubset(of: Field.members(approved))
            case .more: return Field.members(value).isSuperset(of: Field.members(approved))
            case .only(let tightest): return value == tightest
            }
        }

        private static func isOrdered(_ small: String, _ large: String) -> Bool {
            guard let small = Int(small), let large = Int(large) else { return false }
            return small <= large
        }

        private static func members(_ text: String) -> Set<Substring> { Set(text.split(separator: ",")) }
    }

    package init(_ id: Identifier, _ settings: BankSettings, _ status: Activity) {
        bankId = id
        fields = Self.fields(settings, status)
    }

    package init(_ bank: BankRecord) {
        self.init(bank.id, bank.settings, bank.status)
    }

    /// One line per setting.
    package var text: String { fields.map { "\($0.name)=\($0.value)\n" }.joined() }

    /// Whether each setting is as approved, or tighter. A setting that the approved text does not know, because it is newer,
    /// must have its default.
    ///
    /// - Parameter approved: the ``text`` of the approved settings.
    package func isWithin(_ approved: String) -> Bool {
        var values: [Substring: String] = [:]
        // By bytes: a character of Swift can be a line end with something after it.
        for line in approved.utf8.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, values.updateValue(String(parts[1]) ?? "", forKey: Substring(parts[0])) == nil
            else {
                return false
            }
        }
        let defaults = Self.defaults
        return fields.allSatisfy { field in
            guard let value = values[Substring(field.name)] ?? defaults[field.name] else { return false }
            return field.isWithin(value)
        }
    }

    private static let defaults: [String: String] = {
        let settings = BankSettings(name: "", programme: "", scheme: .cb)
        return Dictionary(uniqueKeysWithValues: fields(settings, .active).map { ($0.name, $0.value) })
            .filter { !["name", "programme", "scheme", "status"].contains($0.key) }
    }()

    private static func fields(_ settings: BankSettings, _ status: Activity) -> [Field] {
        identityFields(settings, status) + limitFields(settings) + ruleFields(settings)
    }

    private static func identityFields(_ settings: BankSettings, _ status: Activity) -> [Field] {
        [
            field("name", escaped(settings.name)), field("programme", escaped(settings.programme)),
            field("scheme", settings.scheme.rawValue), field("status", status.rawValue, .only("DISABLED")),
        ]
    }

    private static func limitFields(_ settings: BankSettings) -> [Field] {
        [
            field("timestampTolerance", settings.timestampToleranceSeconds, .smaller),
            field("sessionLifetime", settings.sessionLifetimeSeconds, .smaller),
            field("undeliveredLifetime", settings.undeliveredLifetimeDays, .smaller),
            field("retryLimit", settings.retryLimit, .smaller), field("fetchLimit", settings.fetchLimit, .smaller),
            field("definitionsPerDay", settings.definitionsPerDay, .smaller),
            field("pinMinimumLength", settings.pinMinimumLength, .larger),
            field("pinMaximumLength", settings.pinMaximumLength), field("codeAlphabet", settings.codeAlphabet.rawValue),
            field("codeMinimumLength", settings.codeMinimumLength, .larger),
            field("codeMaximumLength", settings.codeMaximumLength),
        ]
    }

    private static func ruleFields(_ settings: BankSettings) -> [Field] {
        [
            field("retention", settings.retention.rawValue, .only("erase")),
            field("reminders", settings.reminders, .only("false")),
            field("deliveryFormat", settings.deliveryFormat.rawValue),
            field("imageStyle", settings.imageStyle.rawValue),
            field("hints", settings.hints.map(\.rawValue), .fewer),
            field("textPINs", settings.textPINs, .only("false")),
            field("uniformErrors", settings.uniformErrors, .only("true")),
            field("sealedValues", settings.sealedValues.rawValue, .only("bound")),
            field("checkUniqueIds", settings.checksUniqueIds, .only("true")),
            field("definition", settings.definition, .only("false")),
            field("definedPINs", settings.definedPINs.rawValue),
            field("definedPINKey", escaped(settings.definedPINKey ?? "")),
            field("pinBlocks", settings.pinBlocks.map(\.rawValue), .fewer),
            field("definitionResetsDelivery", settings.definitionResetsDelivery),
            field("weakPINRules", settings.weakPINRules.map(\.rawValue), .more),
            field("listedPINs", settings.listedPINs, .more),
        ] + documentFields(settings)
    }

    private static func documentFields(_ settings: BankSettings) -> [Field] {
        [
            field("identityCheck", settings.identityCheck.rawValue, .only("both")),
            field("identityAssurance", settings.identityAssurance.rawValue, .only("chip")),
            field("identityLifetime", settings.identityLifetimeSeconds, .smaller),
        ]
    }

    private static func field(
        _ name: String, _ value: some CustomStringConvertible, _ tightening: Tightening = .never
    ) -> Field {
        Field(name: name, value: value.description, tightening: tightening)
    }

    private static func field(_ name: String, _ values: [String], _ tightening: Tightening) -> Field {
        Field(name: name, value: values.sorted().joined(separator: ","), tightening: tightening)
    }

    /// A text in one line, without control characters.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.value {
            case 0x5C, ..<0x20, 0x7F..<0xA0: result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
