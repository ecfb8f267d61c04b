import Testing

@testable import PINImages

@Suite struct LayoutTests {
    private let style = CaptchaStyle.standard

    @Test(arguments: [1, 4, 6, 8, 12])
    func `digits stay in order and inside the image, for any random numbers`(count: Int) {
        let size = count == 1 ? style.digitImageSize : style.captchaSize(digitCount: count)
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            let layout = CaptchaLayout(
                digitCount: count, in: size, cellWidths: [0.7, 0.65], style: style, using: &random)
            let glyphs = layout.placements
            #expect(glyphs.count == count)
            #expect(zip(glyphs, glyphs.dropFirst()).allSatisfy { $0.center.x < $1.center.x })
            // The warp moves ink by at most its amplitude, so the margin must include that distance.
            let margin = style.edge + style.warpAmplitude - 0.001
            #expect(
                glyphs.allSatisfy { glyph in
                    glyph.center.x - glyph.halfExtent.x >= margin
                        && glyph.center.x + glyph.halfExtent.x <= Double(size.width) - margin
                        && glyph.center.y - glyph.halfExtent.y >= margin
                        && glyph.center.y + glyph.halfExtent.y <= Double(size.height) - margin
                })
        }
    }

    @Test func `the warp moves a point by at most its amplitude`() {
        for seed in 0..<100 {
            var random = SeededGenerator(seed: UInt64(seed))
            let field = WarpField(style: style, using: &random)
            for x in stride(from: 0.0, to: 240, by: 17) {
                let point = Point(x: x, y: x / 3)
                let warped = field.warp(point)
                let (dx, dy) = (warped.x - point.x, warped.y - point.y)
                #expect((dx * dx + dy * dy).squareRoot() <= style.warpAmplitude + 0.001)
            }
        }
    }
}
