internal import Administration
internal import Glibc
internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle

/// A listener for HTTP. If it cannot listen, the error says where, and which setting to change.
struct Listener<Application: ApplicationProtocol>: Service, CustomStringConvertible {
    var description: String { "\(setting) listener" }
    let application: Application
    /// The settings of its host and port begin with it.
    let setting: String
    let host: String
    let port: Int

    func run() async throws {
        let place = "\(host) port \(port)"
        do {
            try await application.run()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw CommandError.configuration(
                "cannot listen on \(place): another program listens there. Stop it, or set \(setting).port")
        } catch let error as IOError {
            throw CommandError.configuration(
                "cannot listen on \(place): \(String(cString: strerror(error.errnoCode))). Set \(setting).host to an address of this "
                    + "machine, and \(setting).port to a port that this user may use")
        } catch is SocketAddressError.UnknownHost {
            throw CommandError.configuration("cannot listen on \(place): no address was found for \(setting).host")
        }
    }
}
