import Cryptography
import Testing

@Suite("Self-tests")
struct SelfTestTests {
    @Test("With the usual OpenSSL, all self-tests pass, and nothing is off")
    func passes() throws {
        #expect(try SelfTest.run() == [])
    }
}
