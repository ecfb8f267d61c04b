internal import Foundation
internal import Glibc
internal import ServiceLifecycle

/// Tells systemd how the server is: ready, stopping, or still alive (sd_notify(3), "Type=notify" and "WatchdogSec=" in the unit).
///
/// The protocol is one datagram for each message. So it needs no library, and the server runs as well where there is no systemd.
struct ServiceManager: Sendable {
    /// The path of systemd's socket. An abstract one begins with `@`.
    private let socketPath: String
    /// How long systemd waits for a sign of life; nil if it does not watch the server.
    let watchdogLimit: Duration?

    /// Takes what systemd has put into the environment of this process, so that programs that it starts do not inherit it.
    ///
    /// - Returns: nil if systemd did not ask.
    static func ofThisProcess() -> ServiceManager? {
        defer { for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) } }
        return ServiceManager(ProcessInfo.processInfo.environment, processID: getpid())
    }

    init?(_ environment: [String: String], processID: Int32) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
        socketPath = path
        let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(processID)" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogLimit = isForUs && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    func isReady(at url: String) { send("READY=1\nSTATUS=Listening at \(url)") }

    func isStopping() { send("STOPPING=1\nSTATUS=Stopping") }

    func isAlive() { send("WATCHDOG=1") }

    /// A message that cannot be sent is lost: then systemd acts as if the server did not answer.
    private func send(_ message: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(socketPath.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        // The name of an abstract socket is as long as the address says.
        let byteCount = MemoryLayout<sa_family_t>.size + path.count + (path[0] == 0 ? 0 : 1)
        let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { return }
        defer { close(file) }
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(
                    file, message, message.utf8.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT), $0,
                    socklen_t(byteCount))
            }
        }
    }
}

/// Shows systemd that the server's tasks still get their turn. If they do not, systemd kills the server and starts it again.
struct Watchdog: Service, CustomStringConvertible {
    let description = "watchdog"
    let manager: ServiceManager
    let limit: Duration

    private static let leastPause = Duration.milliseconds(100)

    func run() async throws {
        let pause = max(limit / 2, Self.leastPause)
        await cancelWhenGracefulShutdown {
            repeat { manager.isAlive() } while (try? await Task.sleep(for: pause)) != nil
        }
    }
}
