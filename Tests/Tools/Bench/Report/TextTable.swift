import Foundation

/// A table in a fixed-width font: the first column to the left, the others to the right.
enum TextTable {
    static func text(_ header: [String], _ rows: [[String]]) -> String {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { line($0, widths: widths) }.joined(separator: "\n")
    }

    /// One line of a table. A cell that is longer than its column makes the line longer.
    static func line(_ cells: [String], widths: [Int]) -> String {
        zip(cells, widths).enumerated().map { column, cell in
            let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return column == 0 ? cell.0 + padding : padding + cell.0
        }.joined(separator: "  ")
    }
}

/// Numbers as people read them.
enum Cell {
    /// Empty for 0.
    static func number(_ value: Double) -> String {
        value == 0 ? "" : value >= 100 ? String(Int(value.rounded())) : String(format: "%.1f", value)
    }

    static func ratio(_ value: Double) -> String { String(format: "%.2f", value) }
}
