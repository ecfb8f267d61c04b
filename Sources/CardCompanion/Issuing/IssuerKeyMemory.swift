internal import CardCompanionStore
internal import Synchronization

/// The keys of back-ends that were looked up before. They decide nothing alone: a call that they verify is verified again with
/// the keys in the database. But a call that they refuse need not cause a look-up each time.
final class IssuerKeyMemory: Sendable {
    /// How many keys are remembered. When there are more, all are forgotten.
    static let capacity = 10_000

    /// Look-ups for calls that no remembered key verifies.
    let vain = LookUpLimit()

    private let keys = Mutex<[String: IssuerKeyRecord]>([:])

    func keys(_ keyIds: [String]) -> [IssuerKeyRecord] {
        keys.withLock { keys in keyIds.compactMap { keys[$0] } }
    }

    /// Remembers what the database has of these names.
    func remember(_ found: [IssuerKeyRecord], named keyIds: [String]) {
        keys.withLock { keys in
            for keyId in keyIds { keys[keyId] = nil }
            if keys.count + found.count > Self.capacity { keys.removeAll(keepingCapacity: true) }
            for key in found { keys[key.keyId] = key }
        }
    }
}
