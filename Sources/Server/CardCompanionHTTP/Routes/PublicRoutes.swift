internal import CardCompanion
internal import CardCompanionAPI
internal import CardCompanionModel
internal import CardCompanionStore
internal import Hummingbird
internal import JOSE

/// What anyone can read: the server's public keys, the description of its API, and its health.
struct PublicRoutes {
    static let openAPIPath = "/openapi.yaml"
    static let livenessPath = "/health/live"
    static let readinessPath = "/health/ready"

    let keys: ServerKeys
    let store: Store
    let clock: ClockWatch
    let draining: Draining

    func add(to router: Router<ServiceContext>) {
        let keys = keys
        router.get(RouterPath(APIPath.keySet)) { _, _ in
            Response(
                status: .ok,
                headers: [
                    .contentType: "application/jwk-set+json",
                    .cacheControl: "public, max-age=\(KeySetLifetime.seconds)",
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(string: keys.published.json)))
        }
        router.get(RouterPath(Self.openAPIPath)) { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/yaml"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.openapi_yaml)))
        }
        router.get(RouterPath(Self.livenessPath)) { _, _ in try Self.healthy }
        let (store, clock, draining) = (store, clock, draining)
        router.get(RouterPath(Self.readinessPath)) { _, _ in
            guard !draining.isUnderWay else { throw ServiceUnavailable("the server is stopping") }
            do throws(StoreError) {
                try await store.ping()
            } catch {
                throw ServiceUnavailable("the database does not answer: \(error)")
            }
            try clock.requireRightClock()
            return try Self.healthy
        }
    }

    static var healthy: Response {
        get throws {
            Response(status: .ok, headers: [.contentType: "application/json"], body: try .json(["status": "ok"]))
        }
    }
}
