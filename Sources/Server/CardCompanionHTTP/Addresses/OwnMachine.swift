package import Hummingbird

/// Whether a request comes from the machine that the server runs on.
package enum OwnMachine {
    /// The address proves where a request comes from. The name does so too for a page of another site, whose name may lead to this
    /// machine (DNS rebinding). A page of another site cannot send `application/json` without being asked for its origin.
    package static func isCaller(_ request: Request, _ context: ServiceContext) -> Bool {
        context.channel.remoteAddress.flatMap(IPAddress.init)?.isLoopback == true
            && ForwardedAddresses.areLoopback(request.headers) && request.head.authority.map { isName($0) } == true
    }

    /// Whether an authority, with or without a port, is a name that every machine has for itself, or another name of this one.
    static func isName(_ authority: String, or other: String? = nil) -> Bool {
        let name = authority.hasSuffix("]") ? authority : authority.replacing(/:[0-9]+$/, with: "")
        return (["localhost", "127.0.0.1", "[::1]"] + [other?.lowercased()]).contains(name.lowercased())
    }
}
