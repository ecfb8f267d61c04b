package import Hummingbird

/// Routes that another program adds to those of production.
package protocol AddedRoutes: Sendable {
    func add(to router: Router<ServiceContext>)
}
