import Testing

@testable import PINImages

@Suite struct LayoutTests {
    @Test(arguments: PINImageLook.Style.allCases, [1, 4, 6, 8, 12])
    func `digits stay in order and inside the image, for any random numbers`(name: PINImageLook.Style, count: Int) {
        let style = CaptchaStyle(PINImageLook(style: name))
        let size = count == 1 ? style.digitImageSize : style.captchaSize(digitCount: count)
        for seed in 0..<300 {
            var random = SeededGenerator(seed: seed)
            let layout = CaptchaLayout(
                digitCount: count, in: size, cellWidth: 0.76, style: style, using: &random)
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

    @Test func `a digit is drawn where it was placed`() {
        var placement = GlyphPlacement(cellWidth: 0.7, height: 60, rotation: 0.2, shear: 0.1, stretch: 0.9)
        placement.scale(by: 0.5)
        placement.move(to: Point(x: 40, y: 30))
        let middle = placement.cellPoint(at: Point(x: 40, y: 30))
        #expect(abs(middle.x) < 1e-9 && abs(middle.y) < 1e-9)
        // 30 high, and nearly upright: its upper edge is 15 above the middle, to the right of it because it is turned.
        let top = placement.cellPoint(at: Point(x: 40, y: 15))
        #expect(top.y < -0.45 && top.y > -0.55 && top.x < 0)
    }

    @Test func `the warp moves a point by at most its amplitude`() {
        for seed in 0..<100 {
            var random = SeededGenerator(seed: seed)
            let style = CaptchaStyle(.standard)
            let field = WarpField(style: style, using: &random)
            for x in stride(from: 0.0, to: 240, by: 17) {
                let point = Point(x: x, y: x / 3)
                let warped = field.source(of: point)
                let (dx, dy) = (warped.x - point.x, warped.y - point.y)
                #expect((dx * dx + dy * dy).squareRoot() <= style.warpAmplitude + 0.001)
            }
        }
    }
}
