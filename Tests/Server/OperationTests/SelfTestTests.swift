import ServerHarness
import Testing

@Suite("Self-tests at start")
struct SelfTestTests {
    @Test("With an OpenSSL that lacks what the server needs, it does not start, and names the algorithm")
    func missingAlgorithm() async throws {
        // Algorithms of a provider that is not there.
        let configuration = try TestFolder.shared.write(
            """
            openssl_conf = start
            [start]
            alg_section = algorithms
            [algorithms]
            default_properties = provider=nobody
            """, named: "openssl.cnf")
        let installation = try await TestInstallation()
        let error = await #expect(throws: (any Error).self) {
            _ = try await installation.startServer(environment: ["OPENSSL_CONF": configuration])
        }
        let text = "\(try #require(error))"
        #expect(text.contains("the self-test of"), "\(text)")
    }
}
