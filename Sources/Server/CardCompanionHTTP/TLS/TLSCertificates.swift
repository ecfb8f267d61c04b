package import CardCompanion
internal import CardCompanionModel
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
    /// How long before its end a certificate should be renewed, if it is valid long enough.
    private static let renewalSeconds: Int64 = 30 * 86_400

    /// Its name in the log.
    package let description = "TLS certificate"

    private struct Current {
        var override: NIOSSLContextConfigurationOverride
        var version: [FileVersion]
        /// From when to when the certificate is valid, in seconds since 1970.
        var (beginsAt, endsAt): (Int64, Int64)
        /// What was last said about that.
        var said = Standing.valid

        init(_ contents: TLSFiles.Contents, _ version: [FileVersion]) {
            override = NIOSSLContextConfigurationOverride()
            override.certificateChain = contents.chain.map { .certificate($0) }
            override.privateKey = .privateKey(contents.key)
            self.version = version
            beginsAt = Int64(contents.chain[0].notValidBefore)
            endsAt = Int64(contents.chain[0].notValidAfter)
        }

        func standing(at now: Int64) -> Standing {
            if now >= endsAt { return .expired }
            if now < beginsAt { return .notYetValid }
            // Certificates of a few days are renewed later.
            return endsAt - now < min(TLSCertificates.renewalSeconds, (endsAt - beginsAt) / 4) ? .endsSoon : .valid
        }
    }

    private enum Standing {
        case notYetValid, valid, endsSoon, expired
    }

    /// What changes when a file is replaced.
    private struct FileVersion: Equatable {
        let inode: Int
        let modified: Date?
        let size: Int
    }

    private let files: TLSFiles
    private let clock: WallClock
    private let logger: Logger
    private let first: TLSConfiguration
    private let current: Mutex<Current>

    /// - Throws: ``TLSFileProblem``.
    package init(_ files: TLSFiles, clock: WallClock, logger: Logger) throws(TLSFileProblem) {
        self.files = files
        self.clock = clock
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
                    repeat {
                        self.reloadIfChanged()
                        self.sayStanding()
                    } while (try? await Task.sleep(for: .seconds(Self.intervalSeconds))) != nil
                }
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sighup) { self.reload() }
                }
            }
        }
    }

    /// Says once if clients refuse the certificate, or soon will.
    private func sayStanding() {
        let (standing, begin, end) = current.withLock { current in
            let standing = current.standing(at: clock.now().seconds)
            defer { current.said = standing }
            return (standing == current.said ? nil : standing, current.beginsAt, current.endsAt)
        }
        let metadata: Logger.Metadata = [
            "file": "\(files.certificateChainPath)", "valid_from": "\(Self.text(begin))",
            "valid_until": "\(Self.text(end))",
        ]
        switch standing {
        case .expired:
            logger.error("The TLS certificate has expired, and clients refuse it: renew it", metadata: metadata)
        case .notYetValid:
            logger.error(
                "The TLS certificate is not valid yet, and clients refuse it: look at this machine's clock",
                metadata: metadata)
        case .endsSoon:
            logger.warning(
                "The TLS certificate ends soon: renew it. The server reads the new file by itself", metadata: metadata)
        case .valid: logger.notice("The TLS certificate is valid", metadata: metadata)
        case nil: break
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
