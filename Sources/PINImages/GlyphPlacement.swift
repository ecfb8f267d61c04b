internal import Foundation

/// The transformation of a digit: stretched, slanted, rotated and scaled around its center, then moved.
struct GlyphPlacement: Equatable, Sendable {
    /// The index of the typeface.
    let typeface: Int
    private(set) var center = Point(x: 0, y: 0)
    /// The transformed unit vectors of the typeface's cell.
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

    /// The position of a point of the cell in the image.
    func place(_ point: Point) -> Point {
        center + right * point.x + down * point.y
    }

    /// Half the width and height of the bounding box of the transformed cell.
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
