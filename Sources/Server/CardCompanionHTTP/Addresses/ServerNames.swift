internal import HTTPSignatures
internal import HTTPTypes
internal import NIOCore

/// The names under which back-ends call the server (protocol, section 3). A call to another server, such as a test system,
/// must not be valid here, so a call must be signed for one of these names.
struct ServerNames: Sendable {
    let names: [Authority]

    /// What a call must have signed as the server's name.
    ///
    /// Without names the Host as sent is right, but only in calls from this machine. A proxy on this machine can forward
    /// calls from elsewhere: if its fields name another address, the call is not from this machine. Nobody gains by lying in
    /// these fields, so they are read whoever sent them.
    ///
    /// - Parameter peer: the other end of the connection; nil if it is closed.
    /// - Throws: ``Problem`` 403 if the server has no names and the call is not from this machine.
    func expected(from peer: SocketAddress?, _ headers: HTTPFields) throws(Problem) -> ExpectedAuthority {
        guard names.isEmpty else { return .oneOf(names) }
        let isPeerLoopback = peer.flatMap(IPAddress.init)?.isLoopback == true
        guard isPeerLoopback, ForwardedAddresses.areLoopback(headers) else {
            throw Problem(
                .forbidden,
                "This server has no name yet, so it serves back-ends' calls only from its own machine. The operator must "
                    + "set http.names to the names in the URLs that back-ends call.",
                kind: "names")
        }
        return .asSent
    }
}
