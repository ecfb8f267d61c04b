internal import HTTPTypes
internal import Hummingbird

/// The methods of each path, from the routes themselves: to distinguish a wrong method (405) from a wrong path (404).
struct AllowedMethods: Sendable {
    private let routes: [(path: RouterPath, method: HTTPRequest.Method)]

    init(_ routes: [Router<ServiceContext>.RouteDescription]) {
        self.routes = routes.map { ($0.path, $0.method) }
    }

    /// The methods of a path; none if there is no such path. Every path with GET also has HEAD.
    func of(path: String) -> [HTTPRequest.Method] {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        // The router ignores a slash at the end.
        let names = segments.last?.isEmpty == true ? segments.dropLast() : segments
        let methods = routes.filter { Self.matches($0.path, Array(names)) }
            .flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
        return Self.usualOrder.filter(methods.contains)
    }

    private static let usualOrder: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete]

    private static func matches(_ path: RouterPath, _ segments: [Substring]) -> Bool {
        path.components.count == segments.count && zip(path.components, segments).allSatisfy { $0 ~= $1 }
    }
}
