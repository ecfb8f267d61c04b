import Foundation
import ServerHarness
import Testing

@Suite("Secrets in use")
struct InUseTests {
    @Test("The server's log contains no secret, even at level trace")
    func log() async throws {
        let scene = try await Scene.shared.value
        let log = scene.server.log
        #expect(log.contains(" debug ") && log.contains(" trace "))
        let found = Search.find(scene.secrets + scene.digests + [scene.control], inText: log)
        #expect(found == [scene.control.name])
    }

    @Test("The server's responses contain no secret outside the sealed deliveries")
    func answers() async throws {
        let scene = try await Scene.shared.value
        let delivered = scene.deliveries.count
        #expect(scene.answers.count > 2 * delivered && delivered == Arrival.allCases.filter(\.delivers).count)
        let found = Search.find(scene.secrets + scene.digests, inText: scene.answers.joined(separator: "\n"))
        #expect(found.isEmpty)
    }

    @Test("The server's arguments and environment contain no secret")
    func arguments() async throws {
        let scene = try await Scene.shared.value
        let process = "/proc/\(scene.server.processID)"
        let text = try ["cmdline", "environ"].map { name in
            let file = try FileHandle(forReadingFrom: URL(filePath: "\(process)/\(name)"))
            return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        }.joined()
        #expect(text.contains("serve") && text.contains("DATABASE_URL"))
        #expect(Search.find(scene.secrets + scene.digests, inText: text).isEmpty)
    }
}
