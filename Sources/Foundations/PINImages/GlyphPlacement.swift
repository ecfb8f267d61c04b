internal import Foundation

/// The transformation of a digit: stretched, slanted, rotated and scaled around its center, then moved.
struct GlyphPlacement: Equatable, Sendable {
    /// In units: the pixels of scale 1, like all lengths here.
    private(set) var height: Double
    private(set) var center = Point(x: 0, y: 0)
    /// The transformed unit vectors of the typeface's cell.
    private var right: Point
    private var down: Point
    private let cellWidth: Double

    init(cellWidth: Double, height: Double, rotation: Double, shear: Double, stretch: Double) {
        self.cellWidth = cellWidth
        self.height = height
        let (sine, cosine) = (sin(rotation), cos(rotation))
        right = Point(x: cosine, y: sine) * (stretch * height)
        down = Point(x: shear * cosine - sine, y: shear * sine + cosine) * height
    }

    /// The point of the cell that is drawn at a point of the image.
    func cellPoint(at point: Point) -> Point {
        let offset = point + center * -1
        let area = right.x * down.y - right.y * down.x
        return Point(
            x: (offset.x * down.y - offset.y * down.x) / area, y: (offset.y * right.x - offset.x * right.y) / area)
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
        height *= factor
    }

    mutating func move(to center: Point) {
        self.center = center
    }
}
