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
}

/// The Bézier curve of four control points at equal horizontal distances. So its height is a cubic polynomial of the
/// fraction of the way from left to right.
struct HeightCurve: Equatable, Sendable {
    /// The coefficients of the powers 0 to 3.
    private let constant, linear, quadratic, cubic: Double

    /// - Parameters: the heights of the control points, from left to right.
    init(_ first: Double, _ second: Double, _ third: Double, _ fourth: Double) {
        constant = first
        linear = 3 * (second - first)
        quadratic = 3 * (first - 2 * second + third)
        cubic = fourth - first + 3 * (second - third)
    }

    func height(at fraction: Double) -> Double {
        constant + fraction * (linear + fraction * (quadratic + fraction * cubic))
    }

    /// The change of the height over the whole way, if it went on as at `fraction`.
    func slope(at fraction: Double) -> Double {
        linear + fraction * (2 * quadratic + fraction * 3 * cubic)
    }
}

/// The size of an image in pixels.
struct PixelSize: Equatable, Sendable {
    let width: Int
    let height: Int

    static func * (size: PixelSize, factor: Int) -> PixelSize {
        PixelSize(width: size.width * factor, height: size.height * factor)
    }
}
