/// The floors of all operations: what they cannot avoid, apart from HTTP.
struct Floors {
    /// Microseconds of CPU of each primitive, by name.
    let primitives: [String: Double]
    /// Of the client, for one round trip to the database.
    private let roundTripMicroseconds: Double
    private let postgres: [Operation: Double]

    init(service: BenchService, seconds: Double) async throws {
        let loop = try PrimitiveFloors(seconds: min(0.5, seconds / 4))
        var costs: [String: Double] = [:]
        for primitive in Primitive.allCases { costs[primitive.rawValue] = try loop.microseconds(primitive) }
        primitives = costs
        let statements = PostgresFloors(service: service, seconds: max(1, Int(seconds)))
        roundTripMicroseconds = try await statements.measureRoundTrip().clientMicroseconds
        try await statements.prepare()
        postgres = try await statements.measureAll()
    }

    func cryptographyMicroseconds(of operation: Operation) -> Double {
        operation.mean { sum($0.primitives) }
    }

    func roundTripMicroseconds(of operation: Operation) -> Double {
        operation == .health ? 0 : roundTripMicroseconds
    }

    func postgresMicroseconds(of operation: Operation) -> Double? {
        operation == .health ? nil : operation.mean { postgres[$0] ?? 0 }
    }

    /// The cryptography of one line of an import.
    var sealingMicroseconds: Double { sum([.openP256, .openP256, .gcm, .hmac]) }

    private func sum(_ list: [Primitive]) -> Double { list.map { primitives[$0.rawValue] ?? 0 }.reduce(0, +) }
}
