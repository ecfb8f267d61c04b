import CardCompanionHTTP
import CardCompanionServer
import Foundation
import Glibc
import KeyVault
import PKCS11

// What can be seen without the database: files, their modes, the limits of the process, free disk.

extension ServerSettings {
    /// How long before its end a certificate should be renewed.
    static let renewalDays = 30
    private static let freeDiskMinimum: Int64 = 1 << 30

    /// Everything that can be seen on this machine.
    func machineFindings(now: Date = Date()) -> [Finding] {
        tlsFindings(now: now) + vaultFileFindings() + dataDirectoryFindings() + openFileFindings()
            + memoryFindings() + lockedMemoryFindings()
    }

    /// The files of TLS, as the server would load them.
    func tlsFindings(now: Date = Date()) -> [Finding] {
        guard let files = http.tls else {
            return [.ok("tls", "not set: HTTP without TLS on \(http.host)")]
        }
        return certificateFindings(files, now) + tlsKeyFindings(files.privateKeyPath)
    }

    private func certificateFindings(_ files: TLSFiles, _ now: Date) -> [Finding] {
        do {
            let (from, to) = try files.validity()
            let (begin, end) = (
                Date(timeIntervalSince1970: TimeInterval(from)), Date(timeIntervalSince1970: TimeInterval(to))
            )
            let path = files.certificateChainPath
            let days = Int(end.timeIntervalSince(now) / 86_400)
            if now >= end {
                return [
                    .error("tls", "the certificate in \(path) expired on \(end.formatted(.iso8601))", do: "renew it")
                ]
            }
            if now < begin {
                return [
                    .error(
                        "tls", "the certificate in \(path) is not valid before \(begin.formatted(.iso8601))",
                        do: "check this machine's clock")
                ]
            }
            if days < Self.renewalDays {
                return [
                    .warning(
                        "tls", "the certificate in \(path) expires in \(days) days",
                        do: "renew it: a running server reads the new file by itself")
                ]
            }
            return [.ok("tls", "the certificate in \(path) is valid until \(end.formatted(.iso8601))")]
        } catch {
            return [
                .error(
                    "tls", error,
                    do:
                        "put the right file there, readable for the server's user, or change the setting: the server does not start"
                )
            ]
        }
    }

    /// Others who can read the key can be the server.
    private func tlsKeyFindings(_ path: String) -> [Finding] {
        var status = stat()
        // The group is often that of the program that renews certificates.
        guard stat(path, &status) == 0, status.st_mode & 0o004 != 0 else { return [] }
        return [
            .warning(
                "tls",
                "every user of this machine can read the key in \(path) (mode 0\(String(status.st_mode & 0o777, radix: 8)))",
                do: "chmod 0640 \(path), and get a certificate for a new key if somebody may have read it")
        ]
    }

    /// The vault's files, as the server would read them.
    func vaultFileFindings() -> [Finding] {
        do {
            if let token = vault.token {
                guard FileManager.default.isReadableFile(atPath: token.modulePath) else {
                    return [
                        .error("vault", "vault.module: \(token.modulePath) cannot be read", do: "install the module")
                    ]
                }
                guard let pinFile = vault.pinFile else {
                    return [.ok("vault", "token '\(token.label)', whose PIN a person types")]
                }
                _ = try PINFile.read(pinFile)
                return [.ok("vault", "token '\(token.label)', PIN in \(pinFile)")]
            }
            guard FileManager.default.fileExists(atPath: vault.file) else {
                return [
                    .warning(
                        "vault", "\(vault.file) does not exist",
                        do: "the first start makes it; if the database already has keys, put the right file there")
                ]
            }
            _ = try FileMasterKey(path: vault.file)
            return [.ok("vault", "master key in \(vault.file)")]
        } catch {
            return [.error("vault", error)]
        }
    }

    private func dataDirectoryFindings() -> [Finding] {
        var status = stat()
        guard stat(dataDirectory, &status) == 0 else {
            return [.ok("data", "\(dataDirectory) does not exist yet: the first start makes it")]
        }
        var findings: [Finding] = []
        if status.st_mode & 0o066 != 0 {
            findings.append(
                .warning(
                    "data",
                    "other users can read or write \(dataDirectory) (mode 0\(String(status.st_mode & 0o777, radix: 8)))",
                    do: "chmod 0700 \(dataDirectory)"))
        }
        var disk = statvfs()
        if statvfs(dataDirectory, &disk) == 0 {
            let free = Int64(disk.f_bavail) * Int64(disk.f_frsize)
            let text = "\(free >> 20) MiB are free on the disk of \(dataDirectory)"
            findings.append(
                free < Self.freeDiskMinimum
                    ? .warning("disk", text, do: "make room: the private database and logs grow") : .ok("disk", text))
        }
        return findings
    }

    private func openFileFindings() -> [Finding] {
        do {
            let limits = Descriptors.raised()
            let connections = try limits.connections(configured: httpConnections, database: databaseConnections)
            let text = "in this shell, \(limits.limit) open files allow \(connections) connections"
            return [
                httpConnections == nil && connections < Descriptors.usualConnections
                    ? .warning("limits", text, do: "raise LimitNOFILE in the systemd unit") : .ok("limits", text)
            ]
        } catch {
            return [.error("limits", error)]
        }
    }

    private func memoryFindings() -> [Finding] {
        guard let limit = MemoryLimit.current() else { return [.ok("limits", "in this shell, memory has no limit")] }
        let connections = limit.connections(self, atMost: Descriptors.usualConnections)
        let memory = "in this shell, \(limit.mebibytes) MiB of memory"
        guard limit.isTooLow(for: connections, self) else {
            return [.ok("limits", "\(memory) allow \(connections) connections")]
        }
        return [
            .warning(
                "limits", "\(memory) are too little for \(connections) connections",
                do: "raise the container's limit, or MemoryMax in the systemd unit"
                    + (httpConnections == nil ? "" : ", or lower http.connections"))
        ]
    }

    private func lockedMemoryFindings() -> [Finding] {
        var memory = rlimit()
        let wanted = rlim_t(Program.secureHeapByteCount)
        guard getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &memory) == 0, memory.rlim_cur < wanted,
            geteuid() != 0
        else { return [] }
        return [
            .warning(
                "limits",
                "in this shell, only \(memory.rlim_cur >> 10) KiB can be locked, but the heap of secrets has \(wanted >> 10) KiB",
                do: "raise LimitMEMLOCK in the systemd unit: otherwise secrets can be swapped out")
        ]
    }
}
