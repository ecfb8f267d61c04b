import SystemPackage
import Testing

@testable import EmbeddedPostgres

@Suite struct SocketDirectoryTests {
    @Test func `A socket's path has at most 107 bytes`() {
        let longest = FilePath("/" + String(repeating: "x", count: 107 - 1 - "/.s.PGSQL.5432".utf8.count))
        #expect(SocketDirectory.isUsable(longest))
        #expect(!SocketDirectory.isUsable(FilePath(longest.string + "x")))
    }

    @Test func `The limit counts bytes, not characters`() {
        #expect(!SocketDirectory.isUsable(FilePath("/" + String(repeating: "é", count: 50))))
    }

    @Test func `A path with a comma is not used, because libpq splits it`() {
        #expect(!SocketDirectory.isUsable("/data/a,b/socket"))
    }
}
