import Testing

@testable import PINImages

@Suite struct BandTests {
    private let look = PINImageLook.standard

    @Test(arguments: [0.0, 8, 20])
    func `a band is as wide as it should be, whatever its slope`(rise: Double) {
        let band = Band(curve: HeightCurve(20, 20 + rise / 3, 20 + rise * 2 / 3, 20 + rise), width: 6)
        let length = (60 * 60 + rise * rise).squareRoot()
        #expect(abs(ink { $0.invert(band) } - 6 * length) < 4)
    }

    @Test func `a band can leave the image`() {
        let band = Band(curve: HeightCurve(-80, 160, -160, 120), width: 10)
        #expect(ink { $0.invert(band) } > 10)
    }

    @Test func `the same band twice changes nothing`() {
        let band = Band(curve: HeightCurve(30, 50, 20, 60), width: 10)
        let once = ink { $0.invert(band) }
        let twice = ink { pixels in
            pixels.invert(band)
            pixels.invert(band)
        }
        // Only the soft edges keep some ink.
        #expect(once > 500 && twice < once / 5)
    }

    @Test(arguments: PINImageLook.Style.allCases, PINImageLook.Theme.allCases)
    func `bands stay in order and do not cross`(name: PINImageLook.Style, theme: PINImageLook.Theme) {
        let style = CaptchaStyle(PINImageLook(style: name, theme: theme))
        for size in [style.captchaSize(digitCount: 4), style.captchaSize(digitCount: 12), style.digitImageSize] {
            for seed in 0..<200 {
                var random = SeededGenerator(seed: seed)
                let bands = Band.make(in: size, style: style, using: &random)
                #expect(bands.count == style.bandCount)
                for (upper, lower) in zip(bands, bands.dropFirst()) {
                    #expect(
                        stride(from: 0, through: 1, by: 0.1)
                            .allSatisfy { upper.curve.height(at: $0) <= lower.curve.height(at: $0) })
                }
            }
        }
    }

    @Test func `a curve goes from its first to its last control point`() {
        let curve = HeightCurve(3, 9, -4, 7)
        #expect(curve.height(at: 0) == 3 && curve.height(at: 1) == 7)
        #expect(abs(curve.height(at: 0.5) - (3 + 3 * 9 - 3 * 4 + 7) / 8) < 1e-9)
        #expect(curve.slope(at: 0) == 3 * (9 - 3) && abs(curve.slope(at: 1) - 3 * (7 + 4)) < 1e-9)
    }

    /// The ink, in pixels, of an image of 60 × 90 pixels. Checks that nothing was written before or after it.
    private func ink(_ draw: (InkPixels) -> Void) -> Double {
        var random = SeededGenerator(seed: 1)
        let style = CaptchaStyle(look)
        let scene = Scene(
            digitCount: 1, size: style.digitImageSize, cellWidth: 0.7, style: style, look: look, using: &random)
        let guardBytes = 64
        let count = InkPixels.byteCount(scene.pixelSize)
        var memory = [UInt8](repeating: 0, count: count + 2 * guardBytes)
        memory.withUnsafeMutableBytes { memory in
            let image = UnsafeMutableRawBufferPointer(rebasing: memory[guardBytes..<guardBytes + count])
            draw(InkPixels(of: scene, bytes: image))
        }
        #expect(memory.prefix(guardBytes).allSatisfy { $0 == 0 } && memory.suffix(guardBytes).allSatisfy { $0 == 0 })
        return memory.reduce(0) { $0 + Double($1) } / 255
    }
}
