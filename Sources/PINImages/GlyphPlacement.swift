internal import Foundation

/// How a digit comes to its place: stretched, slanted, turned and sized about its centre, then moved.
struct GlyphPlacement: Equatable, Sendable {
    /// Which of the typefaces it is drawn in.
    let typeface: Int
    private(set) var center = Point(x: 0, y: 0)
    /// Where the unit vectors of the typeface's cell go.
    private var right: Point
    private var down: Point
    private let cellWidth: Double

    init(typeface: Int, cellWidth: Double, height: Double, rotation: Double, shear: Double, stretch: Double) {
        self.typeface = typeface
        self.cellWidth = cellWidth
        let (sine, cosine) = (sin(rotation), cos(rotation))
        right = Point(x: cosine, y: sine) * (stretch * height)
        down = Point(x: shear * cosine - sine, y: shear * sine + cosine) * height
    }

    /// Where a point of the cell goes.
    func place(_ point: Point) -> Point {
        center + right * point.x + down * point.y
    }

    /// Half the width and height of the upright box around the placed cell.
    var halfExtent: Point {
        Point(
            x: (abs(right.x) * cellWidth + abs(down.x)) / 2,
            y: (abs(right.y) * cellWidth + abs(down.y)) / 2)
    }

    mutating func scale(by factor: Double) {
        right = right * factor
        down = down * factor
    }

    mutating func move(to center: Point) {
        self.center = center
    }
}
