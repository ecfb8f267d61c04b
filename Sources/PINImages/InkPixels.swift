/// The pixels of an image while it is drawn: one byte each, from 0 (paper) to 255 (ink), without gaps between rows.
///
/// They are in memory of the caller, who wipes it. Drawing stores nothing elsewhere.
struct InkPixels {
    let size: PixelSize
    private let bytes: UnsafeMutableRawBufferPointer

    static func byteCount(_ size: PixelSize) -> Int {
        size.width * size.height
    }

    /// - Parameter bytes: `byteCount` zeros, which must outlive the pixels.
    init(size: PixelSize, bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count == Self.byteCount(size), "the memory must have one byte per pixel")
        self.size = size
        self.bytes = bytes
    }

    /// One row of pixels, from the left.
    func row(_ y: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: bytes[y * size.width..<(y + 1) * size.width])
    }

    func draw(_ stroke: Clutter.Stroke) {
        for x in 0..<size.width {
            let fraction = (Double(x) + 0.5) / Double(size.width)
            let middle = stroke.curve.height(at: fraction)
            let slope = stroke.curve.slope(at: fraction) / Double(size.width)
            // A vertical distance is so many times longer than the distance to the curve, which is nearly straight here.
            let stretch = (1 + slope * slope).squareRoot()
            for y in Self.pixels(within: Self.reach(stroke.width / 2) * stretch, of: middle, count: size.height) {
                let distance = abs(Double(y) + 0.5 - middle) / stretch
                apply(stroke.effect, Self.coverage(at: distance, halfWidth: stroke.width / 2), x: x, y: y)
            }
        }
    }

    func draw(_ speckle: Clutter.Speckle) {
        let (center, reach) = (speckle.center, Self.reach(speckle.radius))
        for y in Self.pixels(within: reach, of: center.y, count: size.height) {
            for x in Self.pixels(within: reach, of: center.x, count: size.width) {
                let distance = center.distance(to: Point(x: Double(x) + 0.5, y: Double(y) + 0.5))
                apply(speckle.effect, Self.coverage(at: distance, halfWidth: speckle.radius), x: x, y: y)
            }
        }
    }

    /// How far a shape has pixels from its middle: half a pixel more than the shape, for its soft edge.
    private static func reach(_ halfWidth: Double) -> Double {
        halfWidth + 0.5
    }

    /// How much of a pixel a shape covers, 0 to 1, if the middle of the pixel is at `distance` from that of the shape.
    private static func coverage(at distance: Double, halfWidth: Double) -> Double {
        min(1, max(0, reach(halfWidth) - distance))
    }

    /// The pixels, of `count` in a row or column, that are within `reach` of a position.
    private static func pixels(within reach: Double, of position: Double, count: Int) -> Range<Int> {
        let first = max(0, Int((position - reach).rounded(.down)))
        return first..<max(first, min(count, Int((position + reach).rounded(.up))))
    }

    private func apply(_ effect: Clutter.Effect, _ coverage: Double, x: Int, y: Int) {
        let index = y * size.width + x
        switch effect {
        case .ink: bytes[index] += UInt8(Double(255 - bytes[index]) * coverage)
        case .cut: bytes[index] -= UInt8(Double(bytes[index]) * coverage)
        }
    }
}
