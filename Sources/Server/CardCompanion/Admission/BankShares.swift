internal import CardCompanionModel

/// How many of the requests that are served at once are of which bank. A bank that has its share leaves room for the others, and
/// for one more that may come: what is beyond its share is refused first.
struct BankShares {
    /// A bank takes no place beyond its share while more than so much of the limit is in use, in percent. What is left is enough
    /// for the apps and the back-ends of others.
    static let excessPercent = 60

    private var held: [Identifier: Int] = [:]

    /// - Parameters:
    ///   - inFlight: how many requests are being served.
    ///   - limit: how many are served at once.
    func hasRoom(for bankId: Identifier, inFlight: Int, limit: Int) -> Bool {
        let count = held[bankId] ?? 0
        let banks = held.count + (count == 0 ? 1 : 0)
        return count < max(1, limit / (banks + 1)) || inFlight * 100 <= limit * Self.excessPercent
    }

    mutating func take(for bankId: Identifier) {
        held[bankId, default: 0] += 1
    }

    mutating func release(of bankId: Identifier) {
        let count = (held[bankId] ?? 1) - 1
        held[bankId] = count == 0 ? nil : count
    }
}
