import CardCompanionStore
import Testing

@testable import CardCompanion

@Suite("What an operator may set for a bank")
struct BankRulesTests {
    @Test("The defaults hold")
    func defaults() throws {
        try settings().validate()
    }

    @Test("Each number may be as small and as great as its limits and no more")
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

    @Test("A least length is not above the greatest")
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

    @Test("Name and programme have their lengths")
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
        ("timestamp tolerance", \.timestampToleranceSeconds, 1...3600),
        ("session lifetime", \.sessionLifetimeSeconds, 30...86_400),
        ("undelivered lifetime", \.undeliveredLifetimeDays, 1...3650),
        ("retry limit", \.retryLimit, 1...20),
        ("fetch limit", \.fetchLimit, 1...100),
        ("PIN's least length", \.pinMinimumLength, 4...12),
        ("PIN's greatest length", \.pinMaximumLength, 4...12),
        ("code's least length", \.codeMinimumLength, 4...64),
        ("code's greatest length", \.codeMaximumLength, 4...64),
    ]

    /// Settings with one value, and the greatest lengths out of its way.
    private static func roomySettings(with path: WritableKeyPath<BankSettings, Int>, _ value: Int) -> BankSettings {
        var settings = BankSettings(name: "Bank", programme: "BANK", scheme: .cb)
        (settings.pinMinimumLength, settings.codeMinimumLength) = (4, 4)
        (settings.pinMaximumLength, settings.codeMaximumLength) = (12, 64)
        settings[keyPath: path] = value
        return settings
    }
}
