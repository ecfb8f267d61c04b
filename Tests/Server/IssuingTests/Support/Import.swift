import ServerHarness
import Testing

/// The response to an import.
struct ImportAnswer: Sendable {
    /// The result of one line.
    struct Result: Sendable, Equatable {
        let line: Int
        let uniqueId: String?
        let result: String
        /// The names of the invalid members; an empty name means the whole line.
        var members: [String] = []
    }

    let status: Int
    private let resultLines: [Substring]
    /// The last line of the response.
    let summary: [String: JSON]
    /// The body as text.
    let text: String

    init(_ answer: HTTPAnswer) throws {
        status = answer.status
        text = String(decoding: answer.body, as: UTF8.self)
        let lines = text.split(separator: "\n")
        summary = try lines.last.map { try JSON(parsing: String($0)).object ?? [:] } ?? [:]
        resultLines = lines.dropLast()
    }

    /// The results, sorted by line number.
    var results: [Result] {
        get throws {
            try resultLines.map { Result(try JSON(parsing: String($0)).object ?? [:]) }.sorted { $0.line < $1.line }
        }
    }

    var isCommitted: Bool { summary["committed"] == true }

    /// The numbers of created, replaced and refused lines, from the summary.
    var counts: [Int?] { ["created", "replaced", "refused"].map { summary[$0]?.integer } }

    /// The number of lines with a given result.
    func count(_ result: String) throws -> Int { try results.count { $0.result == result } }
}

extension ImportAnswer.Result {
    init(_ members: [String: JSON]) {
        line = members["line"]?.integer ?? 0
        uniqueId = members["uniqueId"]?.string
        result = members["result"]?.string ?? ""
        self.members = (members["error"]?.array ?? []).map { $0.object?["member"]?.string ?? "" }
    }
}

extension Backend {
    /// An unsigned import call.
    func importCall(_ body: [UInt8] = []) -> IssuerCall {
        var call = IssuerCall("POST", "/v1/banks/\(Percent.encode(bank.id))/cardholders:import", body: body)
        call.headers = [("Content-Type", "application/x-ndjson")]
        call.components = ["@method", "@authority", "@path", "content-digest"]
        if body.isEmpty { call.digest = .value(IssuerCall.contentDigest([])) }
        return call
    }

    /// Imports lines. Retries while the server answers 429 because of other imports.
    func importLines(_ text: String) async throws -> ImportAnswer {
        while true {
            let answer = try await server.call(importCall(Array(text.utf8)), by: issuer)
            guard answer.status == 429 else { return try ImportAnswer(answer) }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Imports lines with the operator's command.
    func importByCommand(_ text: String, in installation: TestInstallation) async throws -> CommandResult {
        let file = try TestFolder.shared.write(text, named: "cardholders")
        return try await installation.run(["cardholder", "import", "--bank", bank.id, "--json", file])
    }
}
