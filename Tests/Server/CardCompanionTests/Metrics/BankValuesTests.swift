import CardCompanionModel
import Testing

@testable import CardCompanion

@Suite("Values of banks for metrics")
struct BankValuesTests {
    private func bounded<Value: BankValue>(_ values: [(String, Value)], by limit: Int) -> [String: Value] {
        Dictionary(uniqueKeysWithValues: BankValues(values).bounded(by: limit))
    }

    private func time(_ seconds: Int64) -> EarliestTime { EarliestTime(Timestamp(seconds: seconds)) }

    @Test("Up to the limit, each bank has its own value")
    func few() {
        #expect(bounded([("a", time(3)), ("b", time(2))], by: 2) == ["a": time(3), "b": time(2)])
        #expect(bounded([(String, EarliestTime)](), by: 2).isEmpty)
    }

    @Test("Beyond it the most urgent banks have their own, and the others the earliest time together")
    func times() {
        let values = [("late", time(9)), ("first", time(1)), ("later", time(10)), ("second", time(2))]
        #expect(bounded(values, by: 2) == ["first": time(1), "second": time(2), "other": time(9)])
    }

    @Test("Of events that wait, the others' numbers are added, and the greatest age counts")
    func backlogs() {
        func backlog(_ pending: Int, _ age: Double, _ parked: Int) -> BacklogValue {
            BacklogValue(pending: pending, oldestAgeSeconds: age, parked: parked)
        }
        let values = [("a", backlog(5, 10, 0)), ("b", backlog(1, 300, 2)), ("c", backlog(7, 20, 1))]
        #expect(bounded(values, by: 1) == ["b": backlog(1, 300, 2), "other": backlog(12, 20, 1)])
    }

    @Test("A bank that is named as the others are loses nothing")
    func namesake() {
        #expect(bounded([("other", time(1)), ("b", time(2))], by: 1) == ["other": time(1)])
        #expect(
            bounded([("a", time(1)), ("other", time(2)), ("c", time(3))], by: 2) == ["a": time(1), "other": time(2)])
    }
}
