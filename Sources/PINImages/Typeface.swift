/// The outlines of the ten digits in one font face, as points.
///
/// All ten share a cell with height 1, width `cellWidth` and center (0, 0). Their ink stays inside the cell.
struct Typeface: Equatable, Sendable {
    /// A closed polygon with short edges, so that it bends when its points are moved.
    typealias Contour = [Point]

    let cellWidth: Double
    private let outlines: [[Contour]]

    /// Scales ten outlines, of any size and on one baseline, to a common cell.
    ///
    /// - Returns: nil if an outline is empty or two are equal, as in a font without digits.
    init?(outlines: [[Contour]]) {
        let points = outlines.joined().joined()
        guard
            outlines.count == 10, outlines.allSatisfy({ !$0.isEmpty }), Set(outlines).count == 10,
            let left = points.map(\.x).min(), let right = points.map(\.x).max(),
            let top = points.map(\.y).min(), let bottom = points.map(\.y).max(), bottom > top
        else { return nil }
        let scale = 1 / (bottom - top)
        let center = Point(x: (left + right) / 2, y: (top + bottom) / 2)
        cellWidth = (right - left) * scale
        self.outlines = outlines.map { outline in
            outline.map { Self.divided($0.map { ($0 + center * -1) * scale }) }
        }
    }

    /// The outline of a digit, 0 to 9.
    func outline(of digit: Int) -> [Contour] {
        outlines[digit]
    }

    /// Five pixels of the largest digit. The warp's shortest wave is nine times as long.
    private static let longestEdge = 0.08

    private static func divided(_ contour: Contour) -> Contour {
        contour.indices.flatMap { index in
            let (start, end) = (contour[index], contour[(index + 1) % contour.count])
            let parts = max(1, Int((start.distance(to: end) / longestEdge).rounded(.up)))
            return (0..<parts).map { start.toward(end, Double($0) / Double(parts)) }
        }
    }
}
