import CardCompanionModel
import Testing

@testable import CardCompanion

@Suite("Bank settings")
struct BankRulesTests {
    @Test("The default settings are valid")
    func defaults() throws {
        try settings().validate()
    }

    @Test("A number is valid at its limits; beyond them the error names the setting and the limits")
    func limits() throws {
        for (rule, path, range) in Self.limits {
            for value in [range.lowerBound, range.upperBound] {
                try Self.roomySettings(with: path, value).validate()
            }
            for value in [range.lowerBound - 1, range.upperBound + 1, Int.min, Int.max] {
                let error = #expect(throws: InvalidSetting.self) {
                    try Self.roomySettings(with: path, value).validate()
                }
                let text = try #require(error).description
                #expect(text.contains(rule), "\(text)")
                #expect(text.contains(String(range.lowerBound)) && text.contains(String(range.upperBound)), "\(text)")
            }
        }
    }

    @Test("A minimum length above the maximum length is refused")
    func lengthsInOrder() {
        #expect(throws: InvalidSetting.self) {
            try settings {
                $0.pinMinimumLength = 7
                $0.pinMaximumLength = 6
            }.validate()
        }
        #expect(throws: InvalidSetting.self) {
            try settings {
                $0.codeMinimumLength = 9
                $0.codeMaximumLength = 8
            }.validate()
        }
    }

    @Test("A name or programme that is empty or too long is refused")
    func texts() throws {
        for name in ["", String(repeating: "x", count: 201)] {
            #expect(throws: InvalidSetting.self) { try settings { $0.name = name }.validate() }
        }
        try settings { $0.name = String(repeating: "é", count: 200) }.validate()
        for programme in ["", String(repeating: "x", count: 65), "a\nb"] {
            #expect(throws: InvalidSetting.self) { try settings { $0.programme = programme }.validate() }
        }
    }

    private typealias Path = WritableKeyPath<BankSettings, Int> & Sendable

    private static let limits: [(rule: String, path: any Path, range: ClosedRange<Int>)] = [
        ("--timestamp-tolerance", \.timestampToleranceSeconds, 1...3600),
        ("--session-lifetime", \.sessionLifetimeSeconds, 30...86_400),
        ("--undelivered-lifetime", \.undeliveredLifetimeDays, 1...3650),
        ("--retry-limit", \.retryLimit, 1...20),
        ("--fetch-limit", \.fetchLimit, 1...100),
        ("--pin-minimum-length", \.pinMinimumLength, 4...12),
        ("--pin-maximum-length", \.pinMaximumLength, 4...12),
        ("--code-minimum-length", \.codeMinimumLength, 4...64),
        ("--code-maximum-length", \.codeMaximumLength, 4...64),
    ]

    /// Settings with one given value, and length ranges so wide that they do not conflict with it.
    private static func roomySettings(with path: WritableKeyPath<BankSettings, Int>, _ value: Int) -> BankSettings {
        var settings = BankSettings(name: "Bank", programme: "BANK", scheme: .cb)
        (settings.pinMinimumLength, settings.codeMinimumLength) = (4, 4)
        (settings.pinMaximumLength, settings.codeMaximumLength) = (12, 64)
        settings[keyPath: path] = value
        return settings
    }
}
