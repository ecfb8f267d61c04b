import ServerHarness

/// Measures one operation and its HTTP floor.
struct Measuring {
    let operation: Operation
    let service: BenchService
    let seconds: Double
    let connectionCount: Int

    /// So many requests warm the server up, and tell how many are needed.
    private var pilotCount: Int { max(40, Int(seconds * 100)) }
    /// More than the pilot's rate promises, because the server is warm by then.
    private static let reserve = 1.6

    /// What the operation costs under load, and its floors.
    func measured(with floors: Floors, _ counter: AllocationCounter) async throws -> Measurement {
        let load = try await load(shares: Self.shares)
        // What a request costs depends on the rate: a busy process handles several at once, an idle one is woken for each.
        let rate = load.saturated.perSecond
        return Measurement(
            operation: operation.rawValue, load: load,
            httpFloorMicroseconds: try httpFloor(load),
            primitivesFloorMicroseconds: floors.cryptographyMicroseconds(of: operation),
            databaseClientFloorMicroseconds: try await floors.roundTripMicroseconds(of: operation, perSecond: rate),
            postgresFloorMicroseconds: try await floors.postgresMicroseconds(of: operation, perSecond: rate),
            allocations: try await counter.perRequest(operation, of: service, numbers: 0..<(2 * pilotCount)))
    }

    /// The shares of the highest rate at which latency is measured.
    private static let shares = [0.25, 0.5, 0.75, 0.9]

    /// Sends requests as fast as possible, and then at shares of that rate.
    ///
    /// - Parameter number: of the first request.
    func load(from number: Int = 0, shares: [Double] = [0.5]) async throws -> Load {
        let second = number + pilotCount
        let pilot = try await run(number..<second, .asFastAsPossible(seconds: 60))
        let third = second + max(connectionCount, Int(pilot.perSecond * seconds * Self.reserve))
        let requests = try await operation.requests(second..<third, of: service)
        let (server, database) = (service.server.processID, service.postmaster)
        let before = (ProcessTimes.seconds(of: server), ProcessTimes.secondsWithChildren(of: database))
        let generator = ProcessTimes.ownThreadSeconds()
        let saturated = try send(requests, .asFastAsPossible(seconds: seconds), to: service.server.port)
        let generatorSeconds = ProcessTimes.ownThreadSeconds() - generator
        let after = (ProcessTimes.seconds(of: server), ProcessTimes.secondsWithChildren(of: database))
        let count = Double(saturated.latencies.count)

        var steps: [(share: Double, result: LoadResult)] = []
        for share in shares {
            let rate = saturated.perSecond * share
            // Half of the time is enough for the curve.
            let count = Int(rate * (share == 0.5 ? seconds : seconds / 2))
            steps.append((share, try await run(third..<(third + count), .constant(perSecond: rate))))
        }
        return Load(
            requests: requests, saturated: saturated, steps: steps,
            serverMicroseconds: (after.0 - before.0) * 1e6 / count,
            postgresMicroseconds: (after.1 - before.1) * 1e6 / count,
            generatorMicroseconds: generatorSeconds * 1e6 / count)
    }

    private func run(_ numbers: Range<Int>, _ pace: LoadGenerator.Pace) async throws -> LoadResult {
        try send(try await operation.requests(numbers, of: service), pace, to: service.server.port)
    }

    private func send(_ requests: RequestBatch, _ pace: LoadGenerator.Pace, to port: Int) throws -> LoadResult {
        let generator = LoadGenerator(port: port, connectionCount: connectionCount)
        let result = try generator.run(requests, pace)
        guard result.failures == 0 else {
            throw LoadFailed(
                description:
                    "\(result.failures) of \(result.latencies.count) answers to \(operation.rawValue) were wrong: "
                    + (result.unexpected ?? ""))
        }
        return result
    }

    /// The CPU time of the HTTP framework for the same requests, at the same rate, and an answer of the same length.
    private func httpFloor(_ load: Load) throws -> Double {
        // What the framework writes before the body.
        let headByteCount = 120
        let requests = load.requests
        let floor = try HTTPFloor(answerByteCount: max(0, load.saturated.answerByteCount - headByteCount))
        defer { floor.stop() }
        let generator = LoadGenerator(port: floor.port, connectionCount: connectionCount, isExpected: { _ in true })
        _ = try generator.run(requests.part(0..<min(requests.count, 2_000)), .asFastAsPossible(seconds: 5))
        let before = ProcessTimes.seconds(of: floor.processID)
        let rate = load.saturated.perSecond
        let part = requests.part(0..<min(requests.count, max(1, Int(rate * seconds / 2))))
        let count = try generator.run(part, .constant(perSecond: rate)).latencies.count
        return (ProcessTimes.seconds(of: floor.processID) - before) * 1e6 / Double(max(1, count))
    }
}

/// What an operation did under load. CPU times are those of saturation.
struct Load {
    let requests: RequestBatch
    let saturated: LoadResult
    /// At shares of the highest rate.
    let steps: [(share: Double, result: LoadResult)]
    let serverMicroseconds: Double
    let postgresMicroseconds: Double
    /// Of the load generator, which has one thread.
    let generatorMicroseconds: Double

    var half: LoadResult { steps.first { $0.share == 0.5 }?.result ?? saturated }
}
