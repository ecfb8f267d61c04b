import ServerHarness
import Testing

@Suite("Android library")
struct AndroidTests {
    @Test("Its own tests pass, on the same vectors as Swift and JavaScript, and two builds of it are equal")
    func library() async throws {
        let result = try await AndroidApp.runTests()
        #expect(result.status == 0, "\(result.stdout)\n\(result.stderr)")
        #expect(result.stdout.contains("Two builds of the packages are equal"))
    }
}
