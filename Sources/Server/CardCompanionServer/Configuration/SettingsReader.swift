internal import Administration
package import Configuration
internal import Foundation
internal import StrictJSON
internal import SystemPackage

/// Finds each setting in the first source that has it: arguments, then environment, then file. Every error is reported.
package struct SettingsReader {
    /// A value in force, and where it comes from.
    package struct Found {
        package let content: ConfigContent
        package let source: String
    }

    static let fileEnvironmentName = "CARD_COMPANION_CONFIG"
    private static let fileByteLimit = 1 << 20
    package static let defaultFilePath = "/etc/card-companion/config.json"

    private let sources: [(name: String, provider: any ConfigProvider)]

    package private(set) var problems: [String] = []

    package init(_ options: some SettingOptions, environment: [String: String]) async {
        var sources: [(String, any ConfigProvider)] = [
            ("argument", InMemoryProvider(name: "arguments", values: options.values)),
            ("environment", EnvironmentVariablesProvider(environmentVariables: environment)),
        ]
        if let path = Self.filePath(options, environment) {
            do {
                problems += try Self.problems(inFileAt: path)
                let file = try await FileProvider<JSONSnapshot>(filePath: FilePath(path))
                sources.append((path, file))
            } catch let error as CommandError {
                problems.append("the configuration file \(error.message)")
            } catch {
                problems.append("the configuration file \(path) must be a JSON object of settings")
            }
        }
        self.sources = sources
    }

    /// The text in force, or the default; nil if there is none.
    mutating func textIfAny(_ setting: Setting) -> String? { content(setting)?.text }

    /// The number in force, or the default; nil if there is none.
    mutating func integerIfAny(_ setting: Setting) -> Int? {
        guard case .int(let number)? = content(setting) else { return nil }
        return number
    }

    /// The text of a setting with a default.
    mutating func text(_ setting: Setting) -> String { required(textIfAny(setting), setting) }

    /// The number of a setting with a default.
    mutating func integer(_ setting: Setting) -> Int { required(integerIfAny(setting), setting) }

    private func required<Value>(_ value: Value?, _ setting: Setting) -> Value {
        guard let value else { preconditionFailure("\(setting.key) has no default") }
        return value
    }

    private mutating func content(_ setting: Setting) -> ConfigContent? {
        find(setting)?.content ?? setting.defaultValue
    }

    /// The value in force. A wrong one is recorded as a problem and ignored.
    package mutating func find(_ setting: Setting) -> Found? {
        for (name, provider) in sources {
            do {
                guard let value = try provider.value(forKey: setting.absoluteKey, type: setting.type).value else {
                    continue
                }
                try setting.check(value.content)
                return Found(content: value.content, source: setting.place(in: name))
            } catch {
                note(setting.problem(in: name))
                return nil
            }
        }
        return nil
    }

    mutating func note(_ problem: String) {
        if !problems.contains(problem) { problems.append(problem) }
    }

    private static func filePath(_ options: some SettingOptions, _ environment: [String: String]) -> String? {
        let given = options.values[Setting.configurationFile.absoluteKey]?.content.text
        if let path = given ?? environment[fileEnvironmentName] { return path }
        return FileManager.default.fileExists(atPath: defaultFilePath) ? defaultFilePath : nil
    }

    /// Unknown settings in a file, and values of another JSON type than the setting's. `FileProvider` would take `true` for
    /// 1.
    private static func problems(inFileAt path: String) throws -> [String] {
        return leaves(of: try json(inFileAt: path)).compactMap { key, value in
            guard let setting = Setting.all.first(where: { $0.key == key }) else {
                let nearest = Spelling.nearest(to: key, among: Setting.all.map(\.key))
                return "the file \(path) sets \(key), but there is no such setting"
                    + (nearest.map { ": did you mean \($0)?" } ?? "")
            }
            return setting.accepts(value) ? nil : setting.problem(in: path)
        }
    }

    private static func json(inFileAt path: String) throws -> JSONValue {
        let bytes = try InputFile.read(path, byteLimit: fileByteLimit)
        do {
            let json = try JSONValue(parsing: bytes)
            guard case .object = json else { throw CommandError.badInput("\(path) must be a JSON object of settings") }
            return json
        } catch let error as JSONError {
            throw CommandError.badInput("\(path) is no JSON object: \(error.description(in: bytes))")
        }
    }

    private static func leaves(of value: JSONValue, under prefix: String = "") -> [(key: String, value: JSONValue)] {
        guard case .object(let members) = value else { return [(prefix, value)] }
        return members.sorted { $0.key < $1.key }
            .flatMap { leaves(of: $0.value, under: prefix.isEmpty ? $0.key : "\(prefix).\($0.key)") }
    }
}

extension Setting {
    fileprivate struct OutOfRange: Error {}

    fileprivate var type: ConfigType {
        if case .integer = kind { .int } else { .string }
    }

    fileprivate func check(_ content: ConfigContent) throws(OutOfRange) {
        let isAllowed =
            switch (kind, content) {
            case (.text, .string(let text)): !text.isEmpty
            case (.integer(let range), .int(let number)): range ~= number
            case (.choice(let choices), .string(let text)): choices.contains(text)
            default: false
            }
        guard isAllowed else { throw OutOfRange() }
    }

    /// Whether a value in a file has the setting's type.
    fileprivate func accepts(_ value: JSONValue) -> Bool {
        switch (kind, value) {
        case (.text, .string), (.choice, .string): true
        case (.integer, .number(let text)): Int(text) != nil
        default: false
        }
    }

    fileprivate func problem(in source: String) -> String {
        "\(key) (\(place(in: source))) must be \(expectation)"
    }

    private var expectation: String {
        switch kind {
        case .text: "text that is not empty"
        case .integer(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
        case .choice(let choices): "one of \(choices.joined(separator: ", "))"
        }
    }

    fileprivate func place(in source: String) -> String {
        switch source {
        case "argument": "argument \(argumentName)"
        case "environment": "environment \(environmentName)"
        default: "file \(source)"
        }
    }
}
