/// The shapes of the ten digits in one font face.
///
/// All ten share a cell with height 1, width `cellWidth` and center (0, 0). Their ink stays inside the cell. A shape is kept
/// as distances to its edge, at points of a grid. So each digit takes the same memory, and drawing it the same work; and
/// edges are smooth at every size.
struct Typeface: Equatable, Sendable {
    /// A closed polygon.
    typealias Contour = [Point]

    let cellWidth: Double
    private let columns: Int
    private let rows: Int
    /// For each digit, row by row. 128 is at the edge, more inside.
    private let distances: [UInt8]

    /// The grid's points per height of the cell.
    fileprivate static let pointsPerHeight = 48.0
    /// How far the grid goes beyond the cell, and the largest distance that it stores.
    static let reach = 0.125
    /// The distance, in heights of the cell, that is 1 in the grid.
    fileprivate static let step = reach / 127

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
        let cellWidth = (right - left) * scale
        let columns = Self.pointCount(over: cellWidth)
        let rows = Self.pointCount(over: 1)
        distances = outlines.flatMap { outline in
            let edges = Edges(
                outline.map { contour in
                    contour.map { Point(x: ($0.x - left) * scale - cellWidth / 2, y: ($0.y - top) * scale - 0.5) }
                })
            return (0..<rows * columns).map { index in
                let point = Point(
                    x: Self.position(index % columns, over: cellWidth), y: Self.position(index / columns, over: 1))
                return UInt8(min(max(128 + edges.depth(of: point) / Self.step, 0), 255).rounded())
            }
        }
        (self.cellWidth, self.columns, self.rows) = (cellWidth, columns, rows)
    }

    private static func pointCount(over length: Double) -> Int {
        Int(((length + 2 * reach) * pointsPerHeight).rounded(.up)) + 1
    }

    private static func position(_ index: Int, over length: Double) -> Double {
        Double(index) / pointsPerHeight - reach - length / 2
    }

    /// Calls `body` with the shape of a digit, 0 to 9.
    func withShape<Result>(of digit: Int, _ body: (Shape) -> Result) -> Result {
        distances.withUnsafeBufferPointer { distances in
            body(
                Shape(
                    distances: UnsafeBufferPointer(
                        rebasing: distances[digit * rows * columns..<(digit + 1) * rows * columns]),
                    columns: columns, rows: rows, cellWidth: cellWidth))
        }
    }

    /// The shape of one digit.
    struct Shape {
        fileprivate let distances: UnsafeBufferPointer<UInt8>
        fileprivate let columns: Int
        fileprivate let rows: Int
        fileprivate let cellWidth: Double

        /// A position of the cell, as one of the grid, whose first point is (0, 0).
        func gridPoint(_ point: Point) -> (x: Float, y: Float) {
            (
                Float((point.x + Typeface.reach + cellWidth / 2) * Typeface.pointsPerHeight),
                Float((point.y + Typeface.reach + 0.5) * Typeface.pointsPerHeight)
            )
        }

        /// How deep a point of the grid is inside the shape, in heights of the cell; negative outside. The same work for
        /// each point and digit.
        @inline(__always)
        func depth(x: Float, y: Float) -> Float {
            let x = min(max(x, 0), Float(columns) - 1.001)
            let y = min(max(y, 0), Float(rows) - 1.001)
            let (column, row) = (Int(x), Int(y))
            let (across, down) = (x - Float(column), y - Float(row))
            let index = row &* columns &+ column
            let (topLeft, topRight) = (Float(distances[index]), Float(distances[index &+ 1]))
            let (bottomLeft, bottomRight) = (
                Float(distances[index &+ columns]), Float(distances[index &+ columns &+ 1])
            )
            let top = topLeft + (topRight - topLeft) * across
            let bottom = bottomLeft + (bottomRight - bottomLeft) * across
            return (top + (bottom - top) * down - 128) * Float(Typeface.step)
        }
    }
}

/// The edges of polygons. What they enclose, in either direction, is inside.
private struct Edges {
    private struct Edge {
        let start: Point
        let end: Point
        let left: Double
        let right: Double
        let top: Double
        let bottom: Double

        init(_ start: Point, _ end: Point) {
            (self.start, self.end) = (start, end)
            (left, right) = (min(start.x, end.x), max(start.x, end.x))
            (top, bottom) = (min(start.y, end.y), max(start.y, end.y))
        }

        /// 1 or -1 if a line to the right of the point crosses the edge upwards or downwards, else 0.
        func turn(around point: Point) -> Int {
            let startsBefore = start.y <= point.y
            guard startsBefore != (end.y <= point.y) else { return 0 }
            let side = (end.x - start.x) * (point.y - start.y) - (point.x - start.x) * (end.y - start.y)
            if startsBefore { return side > 0 ? 1 : 0 }
            return side < 0 ? -1 : 0
        }

        /// Of the rectangle around the edge: the edge itself is not nearer.
        func leastSquaredDistance(from point: Point) -> Double {
            let x = point.x < left ? left - point.x : point.x > right ? point.x - right : 0
            let y = point.y < top ? top - point.y : point.y > bottom ? point.y - bottom : 0
            return x * x + y * y
        }

        func squaredDistance(from point: Point) -> Double {
            let (alongX, alongY) = (end.x - start.x, end.y - start.y)
            let (toX, toY) = (point.x - start.x, point.y - start.y)
            let squaredLength = alongX * alongX + alongY * alongY
            let fraction =
                squaredLength == 0 ? 0 : min(max((toX * alongX + toY * alongY) / squaredLength, 0), 1)
            let (x, y) = (toX - fraction * alongX, toY - fraction * alongY)
            return x * x + y * y
        }
    }

    /// The grid has the same value for all greater distances.
    private static let farthest = Typeface.reach + Typeface.step

    private var edges: [Edge] = []

    init(_ contours: [Typeface.Contour]) {
        for contour in contours {
            guard var start = contour.last else { continue }
            for end in contour {
                edges.append(Edge(start, end))
                start = end
            }
        }
    }

    /// The distance to the nearest edge, at most ``farthest``; negative outside.
    func depth(of point: Point) -> Double {
        var turns = 0
        var nearest = Self.farthest * Self.farthest
        for edge in edges {
            turns += edge.turn(around: point)
            guard edge.leastSquaredDistance(from: point) < nearest else { continue }
            nearest = min(nearest, edge.squaredDistance(from: point))
        }
        return turns == 0 ? -nearest.squareRoot() : nearest.squareRoot()
    }
}
