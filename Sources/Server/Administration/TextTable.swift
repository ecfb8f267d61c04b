internal import CardCompanion
internal import Foundation

/// Rows as columns, for people. Control characters of a cell, which could hide a part of a line, are escaped.
package enum TextTable {
    package static func text(_ header: [String], _ rows: [[String]]) -> String {
        guard !rows.isEmpty else { return "none" }
        let all = [header] + rows.map { $0.map(ClientText.printable) }
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
                .joined(separator: "  ").trimmingCharacters(in: .whitespaces)
        }.joined(separator: "\n")
    }
}
