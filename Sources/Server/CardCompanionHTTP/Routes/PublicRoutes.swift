internal import CardCompanion
internal import CardCompanionAPI
internal import CardCompanionModel
internal import CardCompanionStore
internal import Hummingbird
internal import JOSE

/// What anyone can read: the server's public keys, the newest seal of the audit trail, the description of its API, and its health.
struct PublicRoutes {
    static let auditSealPath = "/.well-known/audit-seal"
    static let openAPIPath = "/openapi.yaml"
    static let livenessPath = "/health/live"
    static let readinessPath = "/health/ready"
    private static let partByteCount = 16_384

    let keys: ServerKeys
    let seals: SealMemory
    let store: Store
    let clock: ClockWatch
    let draining: Draining

    func add(to router: Router<ServiceContext>) {
        let (keys, seals) = (keys, seals)
        router.get(RouterPath(APIPath.keySet)) { _, _ in
            Response(
                status: .ok,
                headers: [
                    .contentType: "application/jwk-set+json",
                    .cacheControl: "public, max-age=\(KeySetLifetime.seconds)",
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(string: keys.published.json)))
        }
        // From memory: anyone can ask as often as they like.
        router.get(RouterPath(Self.auditSealPath)) { _, _ in
            guard let seal = seals.newest else {
                throw Problem(.notFound, "This server has not seen a seal of the audit trail yet.")
            }
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: seal.witness)))
        }
        let openAPI = Self.inParts(ByteBuffer(bytes: PackageResources.openapi_yaml))
        router.get(RouterPath(Self.openAPIPath)) { _, _ in
            Response(status: .ok, headers: [.contentType: "application/yaml"], body: openAPI)
        }
        router.get(RouterPath(Self.livenessPath)) { _, _ in try Self.healthy }
        let (store, clock, draining) = (store, clock, draining)
        router.get(RouterPath(Self.readinessPath)) { _, _ in
            // Load balancers ask often, and a planned stop is no fault: a problem is not logged.
            guard !draining.isUnderWay else { throw Problem(.serviceUnavailable, "The server is stopping.") }
            do throws(StoreError) {
                try await store.ping()
            } catch {
                throw ServiceUnavailable("the database does not answer: \(error)")
            }
            try clock.requireRightClock()
            return try Self.healthy
        }
    }

    /// A large body that is written as fast as the client reads. In one piece, it would be encrypted and kept for each client that does
    /// not read.
    private static func inParts(_ body: ByteBuffer) -> ResponseBody {
        ResponseBody(contentLength: body.readableBytes) { writer in
            var rest = body
            while let part = rest.readSlice(length: min(rest.readableBytes, partByteCount)), part.readableBytes > 0 {
                try await writer.write(part)
            }
            try await writer.finish(nil)
        }
    }

    static var healthy: Response {
        get throws {
            Response(status: .ok, headers: [.contentType: "application/json"], body: try .json(["status": "ok"]))
        }
    }
}
