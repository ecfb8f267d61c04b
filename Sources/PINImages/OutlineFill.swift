internal import SecureMemory

/// Fills outlines with ink, with smooth edges.
///
/// Four lines run through each row of pixels. Along a line, ink begins at an edge that runs down and ends at an edge that
/// runs up, or the other way round. `changes` counts for each pixel how much more ink it has than its left neighbor. So the
/// ink of a pixel is the sum of the changes up to it.
struct OutlineFill {
    private static let linesPerRow = 4
    /// What a line adds to the ink of a pixel that it is inside, in the unit of ``InkPixels``.
    private static let inkPerLine = 256 / linesPerRow

    private let size: PixelSize
    private let changes: UnsafeMutableBufferPointer<Int16>

    /// Calls `draw` with a fill, to add outlines to it, and paints them. The fill's memory is wiped.
    static func paint(onto pixels: InkPixels, _ draw: (OutlineFill) -> Void) {
        let changeCount = rowLength(pixels.size) * pixels.size.height
        _ = SecretBytes(count: changeCount * MemoryLayout<Int16>.stride, in: .ordinary) { memory in
            let fill = OutlineFill(size: pixels.size, changes: memory.bindMemory(to: Int16.self))
            draw(fill)
            fill.paint(onto: pixels)
        }
    }

    /// Adds polygons. `place` gives the position of each point. What is outside the image is cut off.
    func add(_ contours: [Typeface.Contour], place: (Point) -> Point) {
        for contour in contours {
            guard var start = contour.last.map(place) else { continue }
            for point in contour {
                let end = place(point)
                addEdge(from: start, to: end)
                start = end
            }
        }
    }

    private func addEdge(from start: Point, to end: Point) {
        let runsDown = start.y < end.y
        let (top, bottom) = runsDown ? (start, end) : (end, start)
        let ink = runsDown ? Self.inkPerLine : -Self.inkPerLine
        let lines = Self.firstLine(below: top.y)..<Self.firstLine(below: bottom.y)
        let slope = (bottom.x - top.x) / (bottom.y - top.y)
        for line in lines.clamped(to: 0..<size.height * Self.linesPerRow) {
            let x = top.x + (Self.height(of: line) - top.y) * slope
            addCrossing(at: min(max(0, x), Double(size.width)), row: line / Self.linesPerRow, ink: ink)
        }
    }

    /// Changes the ink to the right of `x`. The pixel that contains `x` gets its part, and the next one the rest.
    private func addCrossing(at x: Double, row: Int, ink: Int) {
        let column = Int(x)
        let rest = Int((x - Double(column)) * Double(ink))
        let index = row * Self.rowLength(size) + column
        changes[index] += Int16(ink - rest)
        changes[index + 1] += Int16(rest)
    }

    /// The number of changes of a row: one per pixel, and two for crossings at the right edge of the image.
    private static func rowLength(_ size: PixelSize) -> Int {
        size.width + 2
    }

    /// In pixels from the top. Lines are at equal distances.
    private static func height(of line: Int) -> Double {
        (Double(line) + 0.5) / Double(linesPerRow)
    }

    private static func firstLine(below y: Double) -> Int {
        Int((y * Double(linesPerRow) - 0.5).rounded(.up))
    }

    private func paint(onto pixels: InkPixels) {
        for y in 0..<size.height {
            let row = pixels.row(y)
            var (ink, index) = (0, y * Self.rowLength(size))
            for x in row.indices {
                ink += Int(changes[index])
                index += 1
                row[x] = UInt8(min(abs(ink), 255))
            }
        }
    }
}
