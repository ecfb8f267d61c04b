import Testing

@testable import PINImages

@Suite struct DrawingTests {
    private let size = PixelSize(width: 20, height: 10)

    @Test func `a filled rectangle covers whole pixels, and parts of those at its edges`() {
        let image = filled([rectangle(left: 2, top: 3, right: 4.5, bottom: 5.25)])
        for y in 0..<size.height {
            for x in 0..<size.width {
                let across = overlap(2, 4.5, pixel: x)
                let down = overlap(3, 5.25, pixel: y)
                #expect(isClose(image[y][x], to: across * down), "pixel \(x), \(y)")
            }
        }
    }

    @Test func `a slanted edge is smooth`() {
        let triangle = [Point(x: 0, y: 0), Point(x: 20, y: 10), Point(x: 0, y: 10)]
        let image = filled([triangle])
        #expect(abs(ink(image) - 100) < 1)
        #expect(
            (0..<10).allSatisfy { isClose(image[$0][2 * $0], to: 0.75) && isClose(image[$0][2 * $0 + 1], to: 0.25) })
    }

    @Test func `a contour in the other direction is a hole, and overlapping ones are one area`() {
        let outer = rectangle(left: 1, top: 1, right: 9, bottom: 9)
        let inner = rectangle(left: 3, top: 3, right: 7, bottom: 7)
        #expect(abs(ink(filled([outer, inner.reversed()])) - (64 - 16)) < 0.5)
        #expect(abs(ink(filled([outer, inner])) - 64) < 0.5)
    }

    @Test(arguments: [
        (-5.0, -5.0, 3.0, 4.0, 12.0), (17.0, 8.0, 30.0, 30.0, 6.0), (-9.0, -9.0, 99.0, 99.0, 200.0),
        (-9.0, 2.0, -4.0, 5.0, 0.0), (25.0, 2.0, 30.0, 5.0, 0.0), (3.0, -9.0, 5.0, -2.0, 0.0),
        (3.0, 12.0, 5.0, 15.0, 0.0),
    ])
    func `what is outside the image is cut off`(
        left: Double, top: Double, right: Double, bottom: Double, visible: Double
    ) {
        let image = filled([rectangle(left: left, top: top, right: right, bottom: bottom)])
        #expect(abs(ink(image) - visible) < 0.01 * visible + 0.01)
    }

    @Test(arguments: [0.6, 1, 1.5])
    func `a speckle is as large as its circle`(radius: Double) {
        let area = ink(drawn { $0.draw(speckle(.ink, x: 10.3, y: 4.8, radius: radius)) })
        #expect(abs(area - .pi * radius * radius) < 0.6)
    }

    @Test func `a speckle can be at any place of the image, also at its edges`() {
        for x in [0, 0.4, 10, 19.7, 20] {
            for y in [0, 0.4, 5, 9.7, 10] {
                #expect(ink(drawn { $0.draw(speckle(.ink, x: x, y: y, radius: 1.5)) }) > 1)
            }
        }
    }

    @Test func `a stroke is as wide as it should be, whatever its slope`() {
        for rise in [0.0, 4, 8] {
            let curve = HeightCurve(1, 1 + rise / 3, 1 + rise * 2 / 3, 1 + rise)
            let stroke = Clutter.Stroke(effect: .ink, curve: HeightCurve(5, 5, 5, 5), width: 3)
            #expect(abs(ink(drawn { $0.draw(stroke) }) - 60) < 1)
            let slanted = Clutter.Stroke(effect: .ink, curve: curve, width: 1)
            let length = (20 * 20 + rise * rise).squareRoot()
            #expect(abs(ink(drawn { $0.draw(slanted) }) - length) < 1.5)
        }
    }

    @Test func `a stroke can leave the image`() {
        let stroke = Clutter.Stroke(effect: .ink, curve: HeightCurve(-30, 60, -60, 40), width: 4)
        #expect(ink(drawn { $0.draw(stroke) }) > 1)
    }

    @Test func `cuts remove ink, and change nothing where there is none`() {
        let cut = Clutter.Stroke(effect: .cut, curve: HeightCurve(5, 5, 5, 5), width: 2)
        let image = drawn { pixels in
            OutlineFill.paint(onto: pixels) { $0.add([rectangle(left: 0, top: 0, right: 10, bottom: 10)]) { $0 } }
            pixels.draw(cut)
            pixels.draw(speckle(.cut, x: 15, y: 3, radius: 1.5))
        }
        #expect(abs(ink(image) - 80) < 1)
        #expect((4...5).allSatisfy { image[$0].allSatisfy { $0 == 0 } })
    }

    @Test func `a curve goes from its first to its last control point`() {
        let curve = HeightCurve(3, 9, -4, 7)
        #expect(curve.height(at: 0) == 3 && curve.height(at: 1) == 7)
        #expect(abs(curve.height(at: 0.5) - (3 + 3 * 9 - 3 * 4 + 7) / 8) < 1e-9)
        #expect(curve.slope(at: 0) == 3 * (9 - 3) && abs(curve.slope(at: 1) - 3 * (7 + 4)) < 1e-9)
    }

    private func filled(_ contours: [Typeface.Contour]) -> [[UInt8]] {
        drawn { pixels in OutlineFill.paint(onto: pixels) { $0.add(contours) { $0 } } }
    }

    /// The rows of an image. Checks that nothing was written before or after it.
    private func drawn(_ draw: (InkPixels) -> Void) -> [[UInt8]] {
        let guardBytes = 64
        let count = InkPixels.byteCount(size)
        var memory = [UInt8](repeating: 0, count: count + 2 * guardBytes)
        memory.withUnsafeMutableBytes { memory in
            let image = UnsafeMutableRawBufferPointer(rebasing: memory[guardBytes..<guardBytes + count])
            draw(InkPixels(size: size, bytes: image))
        }
        #expect(memory.prefix(guardBytes).allSatisfy { $0 == 0 } && memory.suffix(guardBytes).allSatisfy { $0 == 0 })
        return (0..<size.height).map { Array(memory[(guardBytes + $0 * size.width)...].prefix(size.width)) }
    }

    private func rectangle(left: Double, top: Double, right: Double, bottom: Double) -> Typeface.Contour {
        [Point(x: left, y: top), Point(x: left, y: bottom), Point(x: right, y: bottom), Point(x: right, y: top)]
    }

    private func speckle(_ effect: Clutter.Effect, x: Double, y: Double, radius: Double) -> Clutter.Speckle {
        Clutter.Speckle(effect: effect, center: Point(x: x, y: y), radius: radius)
    }

    /// How much of a pixel is between two positions.
    private func overlap(_ start: Double, _ end: Double, pixel: Int) -> Double {
        max(0, min(end, Double(pixel + 1)) - max(start, Double(pixel)))
    }

    private func isClose(_ ink: UInt8, to coverage: Double) -> Bool {
        abs(Double(ink) / 255 - coverage) < 0.02
    }

    /// The ink of an image, in pixels.
    private func ink(_ image: [[UInt8]]) -> Double {
        image.joined().reduce(0) { $0 + Double($1) } / 255
    }
}
