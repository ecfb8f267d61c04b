import ServerHarness
import Testing

/// The list of a bank's cardholders.
@Suite("List of cardholders")
struct ListTests {
    @Test("The list has every cardholder in the order of uniqueId, page by page, in the form of GET")
    func pages() async throws {
        let backend = try await Service.shared.value.makeBackend()
        let names = ["a", "B", "z", "é", "a b", "a/b", "10", "9"]
        for name in names { _ = try await backend.created(TestCardholder(name)) }
        var (found, after) = ([JSON](), String?.none)
        repeat {
            let answer = try await list(backend, limit: 3, after: after)
            #expect(answer.status == 200)
            found += answer.members["cardholders"]?.array ?? []
            after = answer.members["next"]?.string
        } while after != nil
        #expect(
            found.map { $0.object?["uniqueId"]?.string } == names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        for shown in found {
            let name = try #require(shown.object?["uniqueId"]?.string)
            #expect(try await backend.get(name).members == shown.object)
        }
    }

    @Test("A bank without cardholders has an empty list, and sees no other bank's")
    func empty() async throws {
        _ = try await Service.backend.value.created()
        let answer = try await list(Service.shared.value.makeBackend())
        #expect(answer.members == ["cardholders": []])
    }

    @Test(
        "A limit or cursor that is not valid is answered 400", arguments: ["limit=0", "limit=501", "limit=x", "after="])
    func bad(query: String) async throws {
        let backend = try await Service.backend.value
        let answer = try await call(backend, query)
        #expect(answer.status == 400 && answer.problem == "query")
    }

    private func list(_ backend: Backend, limit: Int? = nil, after: String? = nil) async throws -> HTTPAnswer {
        let parts = [limit.map { "limit=\($0)" }, after.map { "after=\(Percent.encode($0))" }].compactMap(\.self)
        return try await call(backend, parts.joined(separator: "&"))
    }

    private func call(_ backend: Backend, _ query: String) async throws -> HTTPAnswer {
        let path = "/v1/banks/\(Percent.encode(backend.bank.id))/cardholders"
        let call = IssuerCall("GET", path, query: query.isEmpty ? "" : "?\(query)")
        return try await backend.server.call(call, by: backend.issuer)
    }
}
