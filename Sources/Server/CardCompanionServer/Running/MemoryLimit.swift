internal import CardCompanionHTTP
internal import Foundation

/// How much memory the system lets this process have, together with the others of its group, and how many connections of clients fit.
/// systemd sets it by `MemoryMax`, a container by its limit; beyond it the kernel ends the process.
///
/// Source: the Linux kernel's admin guide, `memory.max` (cgroup-v2.rst) and `memory.limit_in_bytes` (cgroup-v1/memory.rst).
package struct MemoryLimit {
    /// What a server needs besides its connections and the files of document sessions.
    private static let serverByteCount = 128 << 20
    /// The private PostgreSQL, whose shared buffers have 256 MiB.
    private static let privateDatabaseByteCount = 384 << 20
    /// A connection of HTTP/2 with one request, whose body of 64 KiB is not complete (docs/performance.md, Memory).
    private static let connectionByteCount = 320 << 10
    /// So many are taken in any case.
    private static let fewestConnections = 100

    private let byteCount: Int
    package var mebibytes: Int { byteCount >> 20 }

    private init(byteCount: Int) { self.byteCount = byteCount }

    /// The least limit of this process's group and of the groups around it; nil if there is none.
    package static func current() -> MemoryLimit? {
        let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        return groups.split(separator: "\n").flatMap(limitFiles).compactMap(limit).min().map(MemoryLimit.init)
    }

    /// The files with the limits of a group and of those around it, from a line such as `4:memory:/a/b` or `0::/a/b`.
    private static func limitFiles(ofGroup line: Substring) -> [String] {
        let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3 else { return [] }
        let place: (folder: String, file: String)
        switch fields[1] {
        case "": place = ("/sys/fs/cgroup", "memory.max")
        case let controllers where controllers.split(separator: ",").contains("memory"):
            place = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        default: return []
        }
        let names = fields[2].split(separator: "/").map(String.init)
        // Where the group has a namespace of its own, its limit is in the outermost folder.
        return (0...names.count).map { ([place.folder] + names.prefix($0) + [place.file]).joined(separator: "/") }
    }

    /// Without a limit the file says `max`, or a number beyond all memories.
    private static func limit(inFile path: String) -> Int? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let limit = Int(text.trimmingCharacters(in: .newlines)), limit < 1 << 60
        else { return nil }
        return limit
    }

    /// How many connections of clients a server takes: as many as its setting says, else as many as fit, but at least 100.
    ///
    /// - Parameter most: how many it takes without a limit of memory.
    package func connections(_ settings: ServerSettings, atMost most: Int) -> Int {
        let fitting = max(Self.fewestConnections, (byteCount - Self.reserve(settings)) / Self.connectionByteCount)
        return settings.httpConnections ?? min(most, fitting)
    }

    /// Whether so many connections can need more.
    package func isTooLow(for connections: Int, _ settings: ServerSettings) -> Bool {
        byteCount < Self.reserve(settings) + connections * Self.connectionByteCount
    }

    private static func reserve(_ settings: ServerSettings) -> Int {
        serverByteCount + settings.http.documentSessions.fileByteCount
            + (settings.databaseURL == nil ? privateDatabaseByteCount : 0)
    }
}
