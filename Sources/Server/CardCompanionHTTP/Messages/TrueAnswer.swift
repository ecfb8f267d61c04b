internal import Synchronization

/// What the answer to a request really says. A bank can have uniform errors: then the client gets another code.
final class TrueAnswer: Sendable {
    private static let none = Int.min
    private let stored = Atomic<Int>(none)

    /// The code of the protocol; nil if the answer has none.
    var code: Int? {
        let code = stored.load(ordering: .relaxed)
        return code == Self.none ? nil : code
    }

    func set(code: Int) {
        stored.store(code, ordering: .relaxed)
    }
}
