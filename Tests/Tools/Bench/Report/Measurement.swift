import Foundation

/// What was measured of one operation, and its floors. Times are of CPU, in microseconds per request, unless the name says
/// otherwise.
struct Measurement: Codable {
    /// Latency at a share of the highest rate.
    struct Step: Codable {
        let perSecond: Double
        let latency: Latency
    }

    struct Latency: Codable {
        let p50Milliseconds: Double
        let p99Milliseconds: Double
        let p999Milliseconds: Double

        init(_ result: LoadResult) {
            p50Milliseconds = result.percentile(0.5)
            p99Milliseconds = result.percentile(0.99)
            p999Milliseconds = result.percentile(0.999)
        }
    }

    let operation: String
    let requestsPerSecond: Double
    /// At saturation, and at half of it.
    let saturated: Latency
    let half: Latency
    let serverMicroseconds: Double
    let postgresMicroseconds: Double
    let httpFloorMicroseconds: Double
    let primitivesFloorMicroseconds: Double
    /// The client's side of one round trip to the database.
    let databaseClientFloorMicroseconds: Double
    let postgresFloorMicroseconds: Double?
    /// Of the load generator. Nil in files of earlier versions.
    let generatorMicroseconds: Double?
    /// Calls of malloc and the like per request. Nil in files of earlier versions.
    let allocations: Double?
    let steps: [Step]?

    init(
        operation: String, load: Load, httpFloorMicroseconds: Double, primitivesFloorMicroseconds: Double,
        databaseClientFloorMicroseconds: Double, postgresFloorMicroseconds: Double?, allocations: Double?
    ) {
        self.operation = operation
        requestsPerSecond = load.saturated.perSecond
        saturated = Latency(load.saturated)
        half = Latency(load.half)
        serverMicroseconds = load.serverMicroseconds
        postgresMicroseconds = load.postgresMicroseconds
        generatorMicroseconds = load.generatorMicroseconds
        self.httpFloorMicroseconds = httpFloorMicroseconds
        self.primitivesFloorMicroseconds = primitivesFloorMicroseconds
        self.databaseClientFloorMicroseconds = databaseClientFloorMicroseconds
        self.postgresFloorMicroseconds = postgresFloorMicroseconds
        self.allocations = allocations
        steps = load.steps.map { Step(perSecond: load.saturated.perSecond * $0.share, latency: Latency($0.result)) }
    }

    var serverFloorMicroseconds: Double {
        httpFloorMicroseconds + primitivesFloorMicroseconds + databaseClientFloorMicroseconds
    }

    var serverRatio: Double { serverMicroseconds / serverFloorMicroseconds }
    var postgresRatio: Double? { postgresFloorMicroseconds.map { postgresMicroseconds / $0 } }

    /// The rate, as a share of the rate at which the floors and the load generator would keep all cores busy.
    var shareOfFloors: Double {
        let floors = serverFloorMicroseconds + (postgresFloorMicroseconds ?? 0) + (generatorMicroseconds ?? 0)
        return requestsPerSecond * floors / (Double(ProcessInfo.processInfo.activeProcessorCount) * 1e6)
    }
}

/// A whole run.
struct Report: Codable {
    let cardholders: Int
    /// By the command, into an empty table.
    let importedPerSecond: Double
    var residentMiB: Double
    var measurements: [Measurement]
    /// Microseconds of CPU of each primitive.
    let primitives: [String: Double]
    /// Nil if only some operations were measured.
    var imports: ImportFigures?
    var server: ServerFigures?
    /// Nil if it was not measured, and in files of earlier versions.
    var verification: VerificationFigures?
}
