internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle

/// A listener for HTTP. If it cannot listen, the error says where, and which setting to change.
struct Listener<Application: ApplicationProtocol>: Service, CustomStringConvertible {
    var description: String { "\(address.setting) listener" }
    let application: Application
    let address: ListeningAddress

    func run() async throws {
        do {
            try await application.run()
        } catch let error as IOError {
            throw address.error(.refused(error.errnoCode))
        } catch is SocketAddressError.UnknownHost {
            throw address.error(.unknownHost)
        }
    }
}
