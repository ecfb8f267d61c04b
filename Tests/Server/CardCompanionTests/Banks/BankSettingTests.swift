import CardCompanion
import CardCompanionModel
import Foundation
import Testing

@Suite("Bank settings as text")
struct BankSettingTests {
    /// Every setting differs from its default.
    private static let unusual: BankSettings = {
        var settings = BankSettings(name: "Été\r\n=Bank\\", programme: "P", scheme: .pciCPP)
        settings.timestampToleranceSeconds = 60
        settings.sessionLifetimeSeconds = 100
        settings.undeliveredLifetimeDays = 10
        settings.retryLimit = 1
        settings.fetchLimit = 2
        settings.definitionsPerDay = 1
        settings.pinMinimumLength = 5
        settings.pinMaximumLength = 12
        settings.codeAlphabet = .digits
        settings.codeMinimumLength = 8
        settings.codeMaximumLength = 64
        settings.retention = .keepRepeat
        settings.reminders = true
        settings.deliveryFormat = .digits
        settings.imageStyle = .calm
        settings.hints = []
        settings.textPINs = true
        settings.uniformErrors = true
        settings.sealedValues = .any
        settings.bindings = .require
        settings.checksUniqueIds = false
        settings.definition = false
        settings.definitionBy = .pin
        settings.definedPINs = .keep
        settings.definedPINKey = "a=b"
        settings.pinBlocks = [.iso4, .iso1]
        settings.pinExports = true
        settings.forwardDefinedPINs = true
        settings.definedPINEffect = .later
        settings.definitionResetsDelivery = false
        settings.weakPINRules = [.same]
        settings.listedPINs = ["1234", "999999"]
        settings.identityCheck = .both
        settings.identityAssurance = .passive
        settings.identityLifetimeSeconds = 60
        return settings
    }()

    private static let usual = BankSettings(name: "A bank", programme: "Q", scheme: .cb)

    @Test("A text is read back as the same settings", arguments: [usual, unusual])
    func roundTrip(settings: BankSettings) throws {
        #expect(try BankSettings(text: settings.text) == settings)
    }

    @Test("The text names every setting once, and no default is missed")
    func names() {
        let names = BankSetting.all.map(\.name)
        #expect(Set(names).count == names.count && Set(BankSetting.all.map(\.option)).count == names.count)
        for setting in BankSetting.all {
            #expect(setting.text(Self.usual) != setting.text(Self.unusual), "\(setting.name)")
        }
        // Each property of the settings is in the text.
        #expect(Mirror(reflecting: Self.usual).children.count == names.count)
    }

    @Test("Equal settings have the same text, in whatever order a list was given")
    func canonical() {
        var other = Self.unusual
        other.listedPINs.reverse()
        #expect(other.text == Self.unusual.text)
    }

    @Test("A setting that is newer than the text has its default")
    func missing() throws {
        #expect(try BankSettings(text: Self.text(of: Self.usual, without: "imageStyle")) == Self.usual)
    }

    @Test("Banks of an older program, whose text does not say how a PIN can be sent, take it as they did")
    func olderDefinitions() throws {
        #expect(Self.usual.definitionBy == .indexes, "a new bank of scheme CB")
        let text = Self.text(of: Self.usual, without: "definitionBy")
        #expect(try BankSettings(text: text).definitionBy == .both)
        #expect(BankSettings(name: "A", programme: "P", scheme: .pciCPP).definitionBy == .both)
    }

    @Test("A newer setting is in the text only if somebody has set it: an older server can serve the bank meanwhile")
    func leftOut() throws {
        var settings = BankSettings(name: "A", programme: "P", scheme: .pciCPP)
        #expect(!settings.text.contains("definitionBy") && !settings.text.contains("bindings"))
        settings.bindings = .require
        #expect(settings.text.contains("\nbindings=require\n"))
        let twoForms = Self.usual.text.replacing("definitionBy=indexes\n", with: "definitionBy=both\n")
        #expect(throws: UnreadableSettings(setting: "definitionBy")) { try BankSettings(text: twoForms) }
    }

    private static func text(of settings: BankSettings, without name: String) -> String {
        settings.text.split(separator: "\n").filter { !$0.hasPrefix("\(name)=") }.map { "\($0)\n" }.joined()
    }

    @Test(
        "What is not exactly a text of settings is refused, and named",
        arguments: [
            ("retryLimit=3", "retryLimit=0", "retryLimit"), ("retryLimit=3", "retryLimit=21", "retryLimit"),
            ("retryLimit=3", "retryLimit=03", "retryLimit"), ("retryLimit=3", "retryLimit=+3", "retryLimit"),
            ("retryLimit=3", "retryLimit=3\nretryLimit=3", "retryLimit"),
            ("retryLimit=3", "retryLimit", "retryLimit"),
            ("retryLimit=3", "retryLimit=3\nfromTheFuture=1", "fromTheFuture"),
            ("reminders=false", "reminders=no", "reminders"), ("scheme=CB", "scheme=VISA", "scheme"),
            ("hints=scale,theme", "hints=theme,scale", "hints"), ("hints=scale,theme", "hints=scale,theme,x", "hints"),
            ("name=A bank", "name=", "name"), ("name=A bank", "name=\\u{41} bank", "name"),
            ("name=A bank", "name=\\u{zz}", "name"), ("listedPINs=", "listedPINs=12a4", "listedPINs"),
            ("name=A bank\n", "", "name"),
            ("scheme=CB\n", "", "scheme"),
            ("pinMinimumLength=4", "pinMinimumLength=7", "pinMinimumLength"),
            ("codeMinimumLength=4", "codeMinimumLength=33", "codeMinimumLength"),
            ("definedPINKey=\n", "definedPINKey=key\n", "definedPINKey"),
            // A Kelvin sign is a K for Swift, and so is an e with an accent in two forms.
            ("definedPINKey=", "definedPIN\u{212A}ey=", ""), ("\n", "\n\n", ""),
            ("retryLimit=3", "a line\u{7} that is no setting=3", ""),
        ])
    func refused(line: String, other: String, setting: String) throws {
        let text = Self.usual.text.replacing(line, with: other)
        #expect(throws: UnreadableSettings(setting: setting)) { try BankSettings(text: text) }
    }

    @Test("The order of the lines is fixed")
    func order() {
        let lines = Self.usual.text.split(separator: "\n")
        let swapped = ([lines[1], lines[0]] + lines.dropFirst(2)).map { "\($0)\n" }.joined()
        #expect(throws: UnreadableSettings.self) { try BankSettings(text: swapped) }
    }

    @Test(
        "An option's value can be less strict than the text",
        arguments: [
            ("--weak-pin-rules", "same,pairs", "pairs,same"), ("--weak-pin-rules", "none", ""),
            ("--defined-pin-key", "none", ""), ("--identity-check", "none", "none"), ("--name", "A\\B", "A\\u{5c}B"),
            ("--weak-pin-file", "4321,1234", "1234,4321"), ("--weak-pin-file", "", ""),
        ])
    func options(option: String, value: String, text: String) throws {
        let setting = try #require(BankSetting.all.first { $0.option == option })
        var settings = Self.unusual
        #expect(setting.set(option: value, in: &settings) && setting.text(settings) == text)
    }

    @Test(
        "A wrong value of an option changes nothing",
        arguments: [
            ("--weak-pin-rules", ""), ("--weak-pin-rules", "none,same"), ("--weak-pin-rules", "same,,pairs"),
            ("--weak-pin-rules", "Same"), ("--retry-limit", "many"), ("--retry-limit", ""), ("--scheme", "cb"),
            ("--weak-pin-file", "1234;4321"), ("--weak-pin-file", "1234,"), ("--identity-check", ""),
        ])
    func wrongOptions(option: String, value: String) throws {
        let setting = try #require(BankSetting.all.first { $0.option == option })
        var settings = Self.unusual
        #expect(!setting.set(option: value, in: &settings) && settings == Self.unusual)
    }

    /// The options in docs/configuration.md: default and meaning.
    private static func documented() throws -> [String: (value: String, meaning: String)] {
        let root = (0..<5).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        let text = try String(contentsOf: root.appending(path: "docs/configuration.md"), encoding: .utf8)
        var found: [String: (value: String, meaning: String)] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("| `--") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let options = cells[0].matches(of: /--[a-z-]+/).map { String($0.output) }
            let text = cells[1].replacing("`", with: "")
            let values = options.count > 1 ? text.components(separatedBy: ", ") : [text]
            for (option, value) in zip(options, values) { found[option] = (value, cells[2]) }
        }
        return found
    }

    @Test(
        "docs/configuration.md has each setting with its default and its range",
        arguments: BankSetting.all.map(\.option))
    func documentation(option: String) throws {
        let setting = try #require(BankSetting.all.first { $0.option == option })
        let row = try #require(try Self.documented()[option], "\(option) is not in docs/configuration.md")
        guard setting.hasDefault else { return }
        var settings = Self.unusual
        #expect(setting.set(option: row.value == "none" && setting.isFile ? "" : row.value, in: &settings))
        #expect(setting.text(settings) == setting.text(Self.usual))
        if Int(setting.text(Self.usual)) != nil {
            #expect(setting.help.contains("default \(setting.text(Self.usual))"))
        }
        if let range = setting.rule.firstMatch(of: /must be between (\d+) and (\d+)/) {
            #expect(row.meaning.contains("(\(range.output.1) to \(range.output.2))"))
        }
    }

    @Test("A text without its last line end is refused, and so is another form of the same character")
    func bytes() throws {
        #expect(throws: UnreadableSettings(setting: "")) { try BankSettings(text: String(Self.usual.text.dropLast())) }
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        var settings = Self.usual
        settings.programme = decomposed
        #expect(try BankSettings(text: settings.text).programme.utf8.elementsEqual(decomposed.utf8))
        let programme = try #require(BankSetting.all.first { $0.name == "programme" })
        #expect(!programme.isWithin(composed, decomposed))
    }
}
