internal import Foundation
package import Logging
internal import NIOCore
internal import NIOSSL
internal import ServiceLifecycle
internal import Synchronization
internal import UnixSignals

/// The server's certificate and its key. They are read again when their files change, and on SIGHUP, so that a certificate can
/// be renewed while the server runs. If the new files cannot be used, the old certificate stays.
package final class TLSCertificates: Service, CustomStringConvertible {
    /// How often it looks at the files.
    package static let intervalSeconds = 10

    /// Its name in the log.
    package let description = "TLS certificate"

    private struct Current {
        var override: NIOSSLContextConfigurationOverride
        var version: [FileVersion]
        /// When the certificate ends, in seconds since 1970.
        var endsAt: Int64

        init(_ contents: TLSFiles.Contents, _ version: [FileVersion]) {
            override = NIOSSLContextConfigurationOverride()
            override.certificateChain = contents.chain.map { .certificate($0) }
            override.privateKey = .privateKey(contents.key)
            self.version = version
            endsAt = Int64(contents.chain[0].notValidAfter)
        }
    }

    /// What changes when a file is replaced.
    private struct FileVersion: Equatable {
        let inode: Int
        let modified: Date?
        let size: Int
    }

    private let files: TLSFiles
    private let logger: Logger
    private let first: TLSConfiguration
    private let current: Mutex<Current>

    /// - Throws: ``TLSFileProblem``.
    package init(_ files: TLSFiles, logger: Logger) throws(TLSFileProblem) {
        self.files = files
        self.logger = logger
        let version = Self.version(of: files)
        let contents = try files.contents()
        first = contents.configuration()
        current = Mutex(Current(contents, version))
    }

    /// When the certificate in force ends, in seconds since 1970.
    package var endsAt: Int64 { current.withLock(\.endsAt) }

    /// A configuration whose handshakes take the certificate that is in force then.
    var configuration: TLSConfiguration {
        var configuration = first
        configuration.sslContextCallback = { [self] _, promise in
            promise.succeed(current.withLock(\.override))
        }
        return configuration
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    while (try? await Task.sleep(for: .seconds(Self.intervalSeconds))) != nil {
                        self.reloadIfChanged()
                    }
                }
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sighup) { self.reload() }
                }
            }
        }
    }

    private func reloadIfChanged() {
        guard current.withLock(\.version) != Self.version(of: files) else { return }
        reload()
    }

    private func reload() {
        let version = Self.version(of: files)
        do throws(TLSFileProblem) {
            let new = Current(try files.contents(), version)
            let old = current.withLock { current in
                defer { current = new }
                return current.endsAt
            }
            logger.notice(
                "The TLS certificate was read again",
                metadata: ["valid_until": "\(Self.text(new.endsAt))", "was_valid_until": "\(Self.text(old))"])
        } catch {
            // A file can be half written: the next look finds it changed again.
            current.withLock { $0.version = version }
            logger.error(
                "The old TLS certificate stays in use, because the new one cannot be used",
                metadata: ["reason": "\(error)"])
        }
    }

    private static func text(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }

    private static func version(of files: TLSFiles) -> [FileVersion] {
        [files.certificateChainPath, files.privateKeyPath].map { path in
            // The file behind a link: tools that renew certificates change the link.
            let path = URL(filePath: path).resolvingSymlinksInPath().path
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return FileVersion(
                inode: (attributes?[.systemFileNumber] as? Int) ?? 0, modified: attributes?[.modificationDate] as? Date,
                size: (attributes?[.size] as? Int) ?? -1)
        }
    }
}
