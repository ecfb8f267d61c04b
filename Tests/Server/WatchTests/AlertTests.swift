import Foundation
import ServerHarness
import Testing

/// The alert rules and the dashboard in `deploy`.
@Suite("Alerts and dashboard")
struct AlertTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let rules = root.appending(path: "deploy/prometheus/alerts.yml").path
    private static let ruleTests = root.appending(path: "deploy/prometheus/alerts-test.yml").path
    private static let dashboard = root.appending(path: "deploy/grafana/card-companion.json").path

    private static func read(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private static func alerts() throws -> Set<String> {
        Set(try read(rules).matches(of: /alert: (\w+)/).map { String($0.1) })
    }

    @Test("promtool accepts the rules, and each fires as its test says")
    func rules() async throws {
        try await TestCommand.run("promtool", ["check", "rules", Self.rules]).succeeded()
        try await TestCommand.run("promtool", ["test", "rules", Self.ruleTests]).succeeded()
        let tests = try Self.read(Self.ruleTests)
        let tested = Set(tests.matches(of: /alertname(?:: |=")(\w+)/).map { String($0.1) })
        #expect(try Self.alerts() == tested)
    }

    @Test("Each alert has a summary, and what to do, with a section of the documentation that exists")
    func annotations() throws {
        let operations = try Self.read(Self.root.appending(path: "docs/operations.md").path)
        let headings = Set(operations.matches(of: /(?m)^(?:#+ |\*\*)([^*\n]+?)\.?(?:\*\*|$)/).map { String($0.1) })
        let blocks = try Self.read(Self.rules).components(separatedBy: "- alert: ").dropFirst()
        #expect(blocks.count >= 20)
        for block in blocks {
            let text = block.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(text.contains("summary: ") && text.contains("severity: "), "\(text)")
            let section = text.firstMatch(of: /See "([^"]+)" in docs\/operations.md/).map { String($0.1) }
            #expect(headings.contains(section ?? "none"), "\(section ?? text)")
        }
    }

    @Test("Rules and dashboard name only metrics that a server has")
    func names() async throws {
        let server = try await TestInstallation(environment: TestServer.metricsOn).startServer()
        let names = try await server.scrape().names
        for file in [Self.rules, Self.ruleTests, Self.dashboard] {
            let used = Set(try Self.read(file).matches(of: /card_companion_[a-z0-9_]+/).map { String($0.output) })
            #expect(used.count >= 15)
            #expect(used.subtracting(names).isEmpty, "\(file)")
        }
    }

    @Test("The dashboard is JSON, its panels have queries that Prometheus can read, and none covers another")
    func dashboard() async throws {
        let object = try JSON(parsing: Self.read(Self.dashboard)).object ?? [:]
        let panels = (object["panels"]?.array ?? []).compactMap(\.object)
        #expect(panels.count >= 15)
        var cells: Set<String> = []
        var queries: [String] = []
        for panel in panels {
            let place = (panel["gridPos"]?.object ?? [:]).compactMapValues(\.integer)
            let (x, y) = (place["x"] ?? 0, place["y"] ?? 0)
            for column in x..<x + (place["w"] ?? 0) {
                for row in y..<y + (place["h"] ?? 0) { #expect(cells.insert("\(column),\(row)").inserted) }
            }
            queries += (panel["targets"]?.array ?? []).compactMap { $0.object?["expr"]?.string }
        }
        #expect(queries.count >= 20)
        // As recording rules, promtool reads them.
        let rules = queries.enumerated().map { index, query in
            let filled = query.replacing("$__rate_interval", with: "1m").replacing("$instance", with: ".*")
            return "      - {record: 'q\(index)', expr: '\(filled.replacing("'", with: "''"))'}"
        }
        let text = "groups:\n  - name: dashboard\n    rules:\n" + rules.joined(separator: "\n") + "\n"
        let file = try TestFolder.shared.write(text, named: "queries.yml")
        try await TestCommand.run("promtool", ["check", "rules", file]).succeeded()
    }
}
