/// A point or a vector. x grows to the right, y grows downwards.
struct Point: Hashable, Sendable {
    var x: Double
    var y: Double

    static func + (left: Point, right: Point) -> Point {
        Point(x: left.x + right.x, y: left.y + right.y)
    }

    static func * (point: Point, factor: Double) -> Point {
        Point(x: point.x * factor, y: point.y * factor)
    }

    /// The point at `fraction` of the way to `other`.
    func toward(_ other: Point, _ fraction: Double) -> Point {
        self * (1 - fraction) + other * fraction
    }

    func distance(to other: Point) -> Double {
        let (dx, dy) = (other.x - x, other.y - y)
        return (dx * dx + dy * dy).squareRoot()
    }
}

/// The size of an image in pixels.
struct PixelSize: Equatable, Sendable {
    let width: Int
    let height: Int
}
