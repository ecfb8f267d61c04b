import SystemPackage
import Testing

@testable import EmbeddedPostgres

@Suite struct BinariesTests {
    @Test(arguments: [
        ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", 15), ("postgres (PostgreSQL) 17.0\n", 17),
        ("postgres (PostgreSQL) 18beta1\n", 18), ("postgres (PostgreSQL) 9.6.24\n", 9),
    ])
    func `The major version is read from the output of postgres --version`(answer: String, version: Int) {
        #expect(Binaries.majorVersion(answer) == version)
    }

    @Test(arguments: ["", "postgres", "postgres (PostgreSQL)", "postgres (PostgreSQL) devel"])
    func `Other outputs have no version`(answer: String) {
        #expect(Binaries.majorVersion(answer) == nil)
    }

    @Test func `A folder without PostgreSQL is refused, with the install command in the error`() async throws {
        try await TestServer.with { server in
            var server = server
            server.configuration.binaryDirectory = "/usr/share"
            let error = await #expect(throws: EmbeddedPostgresError.self) { try await server.open() }
            #expect(error?.code == .binariesMissing)
            #expect(error?.description.contains("apt-get install postgresql") == true)
            #expect(error?.description.contains("/usr/share") == true)
        }
    }

    @Test func `Without a configured folder, the installed PostgreSQL is found`() async throws {
        let user = try #require(ServerUser.runsAsRoot ? ServerUser.unprivileged : .current)
        let found = try await Binaries.find(configured: nil, clusterVersion: nil, user: user)
        #expect(found.majorVersion >= Binaries.oldestMajorVersion)
        let again = try await Binaries.find(
            configured: found.directory.string, clusterVersion: found.majorVersion, user: user)
        #expect(again == found)
    }
}
