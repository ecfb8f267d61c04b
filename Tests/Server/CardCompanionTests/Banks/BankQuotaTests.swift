import CardCompanion
import CardCompanionModel
import Testing

@Suite("Places of imports")
struct BankQuotaTests {
    private let quota = BankQuota(banks: 3, shared: 1, bankLimit: 2)

    @Test("Each bank has a place that other banks cannot take")
    func own() throws {
        var places = [quota.place(for: "a"), quota.place(for: "a")]
        #expect(places.allSatisfy { $0 != nil })
        #expect(quota.place(for: "a") == nil)
        places.append(quota.place(for: "b"))
        #expect(places.last as? BankQuota.Place != nil)
        #expect(quota.place(for: "b") == nil, "the shared place is taken")
        places.append(quota.place(for: "c"))
        #expect(places.last as? BankQuota.Place != nil)
        #expect(quota.place(for: "d") == nil, "three banks are the limit")
    }

    @Test("A place is free again when it is released")
    func released() throws {
        do {
            let places = [quota.place(for: "a"), quota.place(for: "a")]
            #expect(places.allSatisfy { $0 != nil })
        }
        let places = [quota.place(for: "b"), quota.place(for: "b")]
        #expect(places.allSatisfy { $0 != nil })
    }
}
