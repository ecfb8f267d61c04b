/// The pixels of an image while it is drawn: one byte each, from 0 (paper) to 255 (ink), without gaps between rows.
///
/// They are in memory of the caller, who wipes it. Drawing stores nothing elsewhere.
struct InkPixels {
    /// In pixels.
    let size: PixelSize
    /// Pixels per unit.
    let scale: Int
    private let bytes: UnsafeMutableRawBufferPointer

    static func byteCount(_ size: PixelSize) -> Int {
        size.width * size.height
    }

    /// - Parameter bytes: one zero per pixel, which must outlive the pixels.
    init(of scene: Scene, bytes: UnsafeMutableRawBufferPointer) {
        size = scene.pixelSize
        scale = scene.scale.rawValue
        precondition(bytes.count == Self.byteCount(size), "the memory must have one byte per pixel")
        self.bytes = bytes
    }

    // MARK: - Digits

    /// Draws a digit. The work depends on the placement only, not on the digit.
    ///
    /// - Returns: for how many pixels the shape was read.
    func draw(_ shape: Typeface.Shape, at placement: GlyphPlacement, of scene: Scene) -> Int {
        let (center, extent) = (placement.center, placement.halfExtent)
        let margin = scene.warpAmplitude + 1
        let box = Box(
            left: center.x - extent.x - margin, right: center.x + extent.x + margin,
            top: center.y - extent.y - margin, bottom: center.y + extent.y + margin)
        let heightInPixels = Float(placement.height * Double(scale))
        return forEachPixel(of: box) { point in
            shape.gridPoint(placement.cellPoint(at: scene.warp.source(of: point)))
        } visit: { index, source in
            let depth = shape.depth(x: source.x, y: source.y) * heightInPixels
            bytes[index] = max(bytes[index], UInt8(min(max(depth + 0.5, 0), 1) * 255))
        }
    }

    /// An area of the image, in units.
    private struct Box {
        let left, right, top, bottom: Double
    }

    /// In units. Within so small a patch, a warp is nearly straight.
    private static let patchLength = 8

    /// Calls `visit` with the index of each pixel of a box and the value at its middle. The value is computed at the corners
    /// of patches, and interpolated between them.
    ///
    /// - Returns: the number of pixels. It depends on the box only.
    @inline(__always)
    private func forEachPixel(
        of box: Box, value: (Point) -> (x: Float, y: Float), visit: (Int, (x: Float, y: Float)) -> Void
    ) -> Int {
        let side = Self.patchLength * scale
        let columns = Self.patches(from: box.left, to: box.right, count: (size.width + side - 1) / side)
        let rows = Self.patches(from: box.top, to: box.bottom, count: (size.height + side - 1) / side)
        func read(_ corners: inout [(x: Float, y: Float)], of row: Int) {
            for column in columns.lowerBound...columns.upperBound {
                corners[column - columns.lowerBound] = value(
                    Point(x: Double(column * Self.patchLength), y: Double(row * Self.patchLength)))
            }
        }
        var count = 0
        var above = [(x: Float, y: Float)](repeating: (0, 0), count: columns.count + 1)
        var below = above
        read(&above, of: rows.lowerBound)
        for row in rows {
            read(&below, of: row + 1)
            for y in row * side..<min((row + 1) * side, size.height) {
                let down = (Float(y - row * side) + 0.5) / Float(side)
                for column in columns {
                    let corner = column - columns.lowerBound
                    let left = Self.between(above[corner], below[corner], down)
                    let right = Self.between(above[corner + 1], below[corner + 1], down)
                    let step = (x: (right.x - left.x) / Float(side), y: (right.y - left.y) / Float(side))
                    var point = (x: left.x + step.x / 2, y: left.y + step.y / 2)
                    let pixels = column * side..<min((column + 1) * side, size.width)
                    for x in pixels {
                        visit(y &* size.width &+ x, point)
                        point = (x: point.x + step.x, y: point.y + step.y)
                    }
                    count += pixels.count
                }
            }
            swap(&above, &below)
        }
        return count
    }

    private static func patches(from start: Double, to end: Double, count: Int) -> Range<Int> {
        let first = min(max(0, Int((start / Double(patchLength)).rounded(.down))), count - 1)
        let last = (min(end / Double(patchLength), Double(count))).rounded(.up)
        return first..<max(first + 1, Int(last))
    }

    @inline(__always)
    private static func between(
        _ one: (x: Float, y: Float), _ other: (x: Float, y: Float), _ fraction: Float
    ) -> (x: Float, y: Float) {
        (x: one.x + (other.x - one.x) * fraction, y: one.y + (other.y - one.y) * fraction)
    }

    // MARK: - Bands

    /// Lets ink and paper change places in a band.
    func invert(_ band: Band) {
        let reach = band.width / 2 * Double(scale) + 0.5
        for x in 0..<size.width {
            let fraction = (Double(x) + 0.5) / Double(size.width)
            let middle = band.curve.height(at: fraction) * Double(scale)
            let slope = band.curve.slope(at: fraction) * Double(scale) / Double(size.width)
            // How many times longer a vertical distance is than the distance to the curve, which is nearly straight here.
            let stretch = (1 + slope * slope).squareRoot()
            let top = max(0, Int((middle - reach * stretch).rounded(.down)))
            let bottom = min(size.height, Int((middle + reach * stretch).rounded(.up)))
            for y in top..<max(top, bottom) {
                let share = Float(min(1, max(0, reach - abs(Double(y) + 0.5 - middle) / stretch)))
                let index = y &* size.width &+ x
                let ink = Float(bytes[index])
                bytes[index] = UInt8(ink + (255 - 2 * ink) * share)
            }
        }
    }
}
