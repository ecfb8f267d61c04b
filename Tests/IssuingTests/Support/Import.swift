import ServerHarness
import Testing

/// What an import was answered.
struct ImportAnswer: Sendable {
    /// What became of one line.
    struct Result: Sendable, Equatable {
        let line: Int
        let uniqueId: String?
        let result: String
        /// The members that cannot be taken; an empty name stands for the line as a whole.
        var members: [String] = []
    }

    /// The HTTP status.
    let status: Int
    private let resultLines: [Substring]
    /// The last line.
    let summary: [String: JSON]
    /// The body as it came.
    let text: String

    init(_ answer: HTTPAnswer) throws {
        status = answer.status
        text = String(decoding: answer.body, as: UTF8.self)
        let lines = text.split(separator: "\n")
        summary = try lines.last.map { try JSON(parsing: String($0)).object ?? [:] } ?? [:]
        resultLines = lines.dropLast()
    }

    /// What became of the lines, in their order.
    var results: [Result] {
        get throws {
            try resultLines.map { Result(try JSON(parsing: String($0)).object ?? [:]) }.sorted { $0.line < $1.line }
        }
    }

    var stands: Bool { summary["stands"] == true }

    /// How many lines were created, replaced and refused, by the summary.
    var counts: [Int?] { ["created", "replaced", "refused"].map { summary[$0]?.integer } }

    /// How many lines ended so.
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
    /// An import to be signed.
    func importCall(_ body: [UInt8] = []) -> IssuerCall {
        var call = IssuerCall("POST", "/v1/banks/\(Percent.encode(bank.id))/cardholders:import", body: body)
        call.headers = [("Content-Type", "application/x-ndjson")]
        call.components = ["@method", "@path", "content-digest"]
        if body.isEmpty { call.digest = .value(IssuerCall.contentDigest([])) }
        return call
    }

    /// Imports lines, as soon as the server has not too many imports under way.
    func importLines(_ text: String) async throws -> ImportAnswer {
        while true {
            let answer = try await server.call(importCall(Array(text.utf8)), by: issuer)
            guard answer.status == 429 else { return try ImportAnswer(answer) }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// The same by the operator's command.
    func importByCommand(_ text: String, in installation: TestInstallation) async throws -> CommandResult {
        let file = try TestFolder.shared.write(text, named: "cardholders")
        return try await installation.run(["cardholder", "import", "--bank", bank.id, "--json", file])
    }
}
