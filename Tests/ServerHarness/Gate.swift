/// Lets so many through at once; the others wait for their turn.
actor Gate {
    private var free: Int
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(width: Int) {
        free = width
    }

    /// Runs `body` when there is room.
    nonisolated func pass<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result {
        await enter()
        do {
            let result = try await body()
            await leave()
            return result
        } catch {
            await leave()
            throw error
        }
    }

    private func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    private func leave() {
        if waiters.isEmpty {
            free += 1
        } else {
            waiters.removeFirst().resume()
        }
    }
}
