/// The floors of all operations: what they cannot avoid, apart from HTTP.
struct Floors {
    /// Microseconds of CPU of each primitive, by name.
    let primitives: [String: Double]
    private let statements: PostgresFloors

    init(service: BenchService, seconds: Double) async throws {
        let loop = try PrimitiveFloors(seconds: min(0.5, seconds / 4))
        var costs: [String: Double] = [:]
        for primitive in Primitive.allCases { costs[primitive.rawValue] = try loop.microseconds(primitive) }
        primitives = costs
        statements = PostgresFloors(service: service, seconds: max(1, Int(seconds)))
        try await statements.prepare()
    }

    func cryptographyMicroseconds(of operation: Operation) -> Double {
        operation.mean { sum($0.primitives) }
    }

    /// Of the client, for one round trip to the database, at a rate. At a low rate, processes sleep and are woken for each.
    func roundTripMicroseconds(of operation: Operation, perSecond rate: Double) async throws -> Double {
        operation == .health ? 0 : try await statements.measureRoundTrip(perSecond: rate).clientMicroseconds
    }

    /// Of the database, for the leanest statements with the same effect, at a rate.
    func postgresMicroseconds(of operation: Operation, perSecond rate: Double) async throws -> Double? {
        guard operation != .health else { return nil }
        let costs = try await statements.microseconds(of: operation.parts, perSecond: rate)
        return operation.mean { costs[$0] ?? 0 }
    }

    /// The cryptography of one line of an import.
    var sealingMicroseconds: Double { sum([.openP256, .openP256, .gcm, .hmac]) }

    private func sum(_ list: [Primitive]) -> Double { list.map { primitives[$0.rawValue] ?? 0 }.reduce(0, +) }
}
