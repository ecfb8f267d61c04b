import CardCompanion
import CardCompanionModel
import DualControl

/// The evidence as one page for people. It needs no other file, and has no script.
struct EvidencePage {
    let evidence: Evidence

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>Card Companion: evidence of \(Self.escaped(evidence.madeAt))</title>
        <style>
        body { font: 15px/1.4 sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; color: #222 }
        table { border-collapse: collapse; margin: 1rem 0 }
        th, td { border: 1px solid #bbb; padding: .25rem .5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere }
        th { background: #eee }
        </style>
        </head>
        <body>
        <h1>Card Companion: evidence</h1>
        \(Self.table(["", ""], overview))
        <h2>Keys and certificates</h2>
        \(Self.table(
            ["Owner", "Kind", "Name", "Use", "Algorithm", "Identifier", "Place", "Status", "From", "To", "Approved by"], register))
        <h2>Banks</h2>
        \(evidence.banks.map { Self.table(["Setting", "Value"], $0.settings.rows + [Self.approval($0.approvedBy)]) }.joined(separator: "\n"))
        <h2>What 'doctor' has found</h2>
        \(Self.table(
            ["Level", "Area", "Finding", "What to do"],
            evidence.doctor.findings.map { [$0.level.rawValue, $0.area, $0.text, $0.remedy ?? ""] }))
        <h2>Audit trail</h2>
        <p>\(Self.escaped(evidence.audit.text).replacing("\n", with: "<br>"))</p>
        </body>
        </html>

        """
    }

    private var overview: [[String]] {
        [
            ["made at", evidence.madeAt], ["made by", evidence.madeBy], ["version", evidence.version],
            ["inventory", evidence.inventory ?? "none"], ["dual control", evidence.dualControl ? "on" : "off"],
            ["doctor", "\(evidence.doctor.errors) errors, \(evidence.doctor.warnings) warnings"],
            ["audit trail", "\(evidence.audit.faultCount) faults, \(evidence.audit.late.count) late entries"],
        ]
    }

    private var register: [[String]] {
        evidence.register.map {
            [
                $0.owner, $0.kind, $0.name, $0.use, $0.algorithm, $0.identifier ?? "", $0.place, $0.status,
                $0.from ?? "",
                $0.to ?? "", $0.approvedBy.joined(separator: ", "),
            ]
        }
    }

    private static func approval(_ operators: [String]) -> [String] {
        ["approved by", operators.isEmpty ? "nobody" : operators.joined(separator: ", ")]
    }

    private static func table(_ head: [String], _ rows: [[String]]) -> String {
        func row(_ cells: [String], _ name: String) -> String {
            "<tr>\(cells.map { "<\(name)>\(escaped($0))</\(name)>" }.joined())</tr>"
        }
        return "<table>\n\(([row(head, "th")] + rows.map { row($0, "td") }).joined(separator: "\n"))\n</table>"
    }

    /// By scalars: in a Character, a scalar beside it can hide a sign of HTML.
    private static func escaped(_ text: String) -> String {
        ClientText.printable(text).unicodeScalars.reduce(into: "") { page, scalar in
            switch scalar {
            case "&": page += "&amp;"
            case "<": page += "&lt;"
            case ">": page += "&gt;"
            case "\"": page += "&quot;"
            default: page.unicodeScalars.append(scalar)
            }
        }
    }
}
