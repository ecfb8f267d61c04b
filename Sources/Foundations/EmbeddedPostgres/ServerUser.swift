internal import Glibc
internal import SystemPackage

/// A user of the operating system. PostgreSQL refuses to run as root.
struct ServerUser: Sendable, Equatable {
    let id: uid_t
    let groupID: gid_t
    let name: String

    static var runsAsRoot: Bool { geteuid() == 0 }

    /// The user of this process.
    static var current: ServerUser {
        ServerUser(id: geteuid()) ?? ServerUser(id: geteuid(), groupID: getegid(), name: "\(geteuid())")
    }

    /// The user for a cluster that root creates: `postgres`, which PostgreSQL's packages create, or else `nobody`.
    static var unprivileged: ServerUser? {
        ServerUser(name: "postgres") ?? ServerUser(name: "nobody")
    }

    init?(id: uid_t) {
        self.init { entry, buffer, result in
            getpwuid_r(id, entry, buffer, Self.entryLimitBytes, result)
        }
    }

    init?(name: String) {
        self.init { entry, buffer, result in
            getpwnam_r(name, entry, buffer, Self.entryLimitBytes, result)
        }
    }

    private init(id: uid_t, groupID: gid_t, name: String) {
        self.id = id
        self.groupID = groupID
        self.name = name
    }

    private typealias Lookup = (
        UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>,
        UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> CInt

    /// glibc has no upper limit for an entry. This is far more than real entries need.
    private static let entryLimitBytes = 64 * 1024

    private init?(_ lookUp: Lookup) {
        let found = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.entryLimitBytes) { buffer in
            var entry = passwd()
            var result: UnsafeMutablePointer<passwd>?
            guard let base = buffer.baseAddress, lookUp(&entry, base, &result) == 0, result != nil,
                let name = entry.pw_name
            else { return ServerUser?.none }
            return ServerUser(id: entry.pw_uid, groupID: entry.pw_gid, name: String(cString: name))
        }
        guard let found else { return nil }
        self = found
    }
}
