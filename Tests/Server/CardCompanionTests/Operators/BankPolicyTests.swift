import CardCompanion
import CardCompanionModel
import Testing

@Suite("Settings that are tightened")
struct BankPolicyTests {
    private static func settings(_ change: (inout BankSettings) -> Void = { _ in }) -> BankSettings {
        var settings = BankSettings(name: "A bank", programme: "P", scheme: .cb)
        settings.definitionBy = .both
        settings.retention = .keep
        settings.reminders = true
        settings.textPINs = true
        settings.sealedValues = .any
        settings.checksUniqueIds = false
        settings.pinBlocks = [.iso0, .iso1]
        settings.weakPINRules = [.same]
        settings.listedPINs = ["1234"]
        change(&settings)
        return settings
    }

    private func policy(_ settings: BankSettings, _ status: Activity = .active) -> BankPolicy {
        BankPolicy("BANK", settings, status)
    }

    @Test(
        "One operator can tighten a setting, and not loosen it again",
        arguments: [
            settings { $0.timestampToleranceSeconds = 60 }, settings { $0.sessionLifetimeSeconds = 100 },
            settings { $0.undeliveredLifetimeDays = 10 }, settings { $0.retryLimit = 1 },
            settings { $0.fetchLimit = 1 },
            settings { $0.definitionsPerDay = 1 }, settings { $0.pinMinimumLength = 5 },
            settings { $0.codeMinimumLength = 8 }, settings { $0.retention = .erase },
            settings { $0.reminders = false },
            settings { $0.hints = [.theme] }, settings { $0.textPINs = false }, settings { $0.uniformErrors = true },
            settings { $0.sealedValues = .bound }, settings { $0.checksUniqueIds = true },
            settings { $0.definition = false }, settings { $0.pinBlocks = [.iso1] },
            settings { $0.bindings = .require }, settings { $0.definitionBy = .indexes },
            settings { $0.weakPINRules = [.same, .pairs] }, settings { $0.listedPINs = ["1234", "4321"] },
        ])
    func tightening(tighter: BankSettings) {
        #expect(policy(tighter).isWithin(policy(Self.settings()).text))
        #expect(!policy(Self.settings()).isWithin(policy(tighter).text))
    }

    @Test(
        "Other settings need two operators in both directions",
        arguments: [
            settings { $0.name = "B bank" }, settings { $0.programme = "Q" }, settings { $0.scheme = .pciCPP },
            settings { $0.pinMaximumLength = 5 }, settings { $0.codeAlphabet = .digits },
            settings { $0.codeMaximumLength = 8 }, settings { $0.deliveryFormat = .digits },
            settings { $0.imageStyle = .strong }, settings { $0.definedPINs = .keep },
            settings { $0.definedPINKey = "zpk" }, settings { $0.definitionResetsDelivery = false },
            settings { $0.retention = .keepRepeat }, settings { $0.definitionBy = .pin },
        ])
    func neither(other: BankSettings) {
        #expect(!policy(other).isWithin(policy(Self.settings()).text))
        #expect(!policy(Self.settings()).isWithin(policy(other).text))
    }

    @Test("A bank can be disabled by one operator, and is enabled by two")
    func status() {
        let (active, disabled) = (policy(Self.settings()), policy(Self.settings(), .disabled))
        #expect(disabled.isWithin(active.text))
        #expect(!active.isWithin(disabled.text))
    }

    @Test("A setting that is newer than the approval must have its default")
    func newerSetting() {
        let approved = policy(BankSettings(name: "A", programme: "P", scheme: .cb)).text
        let older = approved.split(separator: "\n").filter { !$0.hasPrefix("imageStyle=") }
            .map { "\($0)\n" }.joined()
        var settings = BankSettings(name: "A", programme: "P", scheme: .cb)
        #expect(policy(settings).isWithin(older))
        settings.imageStyle = .calm
        #expect(!policy(settings).isWithin(older))
    }

    @Test(
        "A name with a line end of Windows, or a sign that changes the one before it, is like any other",
        arguments: [
            "A bank\r", "\u{301}bank", "A\r\nB", "A=B",
        ])
    func names(name: String) {
        let settings = Self.settings { $0.name = name }
        #expect(policy(settings).isWithin(policy(settings).text))
        #expect(!policy(Self.settings()).isWithin(policy(settings).text))
    }

    @Test("A text cannot look like another setting")
    func escaping() {
        let tricky = Self.settings { $0.name = "A\nretryLimit=20" }
        #expect(
            policy(tricky).text.split(separator: "\n").count
                == policy(Self.settings()).text.split(separator: "\n").count)
        let doubled = policy(Self.settings()).text + "retryLimit=20\n"
        #expect(!policy(Self.settings()).isWithin(doubled))
        #expect(!policy(Self.settings()).isWithin("nonsense\n"))
    }
}
