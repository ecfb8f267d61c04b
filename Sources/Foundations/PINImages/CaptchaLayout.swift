/// The positions of the digits, from left to right. All ink stays inside the image.
///
/// The layout depends only on the number of digits, not on the digits.
struct CaptchaLayout: Equatable, Sendable {
    let placements: [GlyphPlacement]

    /// - Parameter cellWidth: the width of the typeface's cell.
    init(
        digitCount: Int, in size: PixelSize, cellWidth: Double, style: CaptchaStyle,
        using random: inout some RandomNumberGenerator
    ) {
        let margin = style.edge + style.warpAmplitude
        var glyphs = (0..<digitCount).map { _ in
            Self.glyph(cellWidth: cellWidth, style: style, using: &random)
        }
        let spacings = glyphs.map { _ in Double.random(in: style.spacing, using: &random) }
        Self.shrink(&glyphs, spacings, into: size, margin: margin)
        let slack = Double(size.width) - 2 * margin - Self.width(of: glyphs, spacings)
        var x = margin + Double.random(in: 0...max(0, slack), using: &random)
        for index in glyphs.indices {
            let half = glyphs[index].halfExtent
            x += index == 0 ? half.x : Self.step(glyphs, spacings, to: index)
            let room = max(0, min(style.verticalShift, Double(size.height) / 2 - margin - half.y))
            let y = Double(size.height) / 2 + Double.random(in: -room...room, using: &random)
            glyphs[index].move(to: Point(x: x, y: y))
        }
        placements = glyphs
    }

    private static func glyph(
        cellWidth: Double, style: CaptchaStyle, using random: inout some RandomNumberGenerator
    ) -> GlyphPlacement {
        GlyphPlacement(
            cellWidth: cellWidth,
            height: Double.random(in: style.glyphHeight, using: &random),
            rotation: Double.random(in: style.rotation, using: &random),
            shear: Double.random(in: style.shear, using: &random),
            stretch: Double.random(in: style.stretch, using: &random))
    }

    /// Makes all digits smaller by the same factor if the row is too wide or a digit is too high.
    private static func shrink(
        _ glyphs: inout [GlyphPlacement], _ spacings: [Double], into size: PixelSize, margin: Double
    ) {
        let tallest = glyphs.map { 2 * $0.halfExtent.y }.max() ?? 0
        let factor = min(
            1,
            (Double(size.width) - 2 * margin) / width(of: glyphs, spacings),
            (Double(size.height) - 2 * margin) / tallest)
        for index in glyphs.indices { glyphs[index].scale(by: factor) }
    }

    /// The distance from the left edge of the first cell to the right edge of the last cell.
    private static func width(of glyphs: [GlyphPlacement], _ spacings: [Double]) -> Double {
        guard let first = glyphs.first, let last = glyphs.last else { return 0 }
        let steps = glyphs.indices.dropFirst().reduce(0) { $0 + step(glyphs, spacings, to: $1) }
        return first.halfExtent.x + steps + last.halfExtent.x
    }

    /// The distance between the centers of the glyph at `index` and the glyph before it.
    private static func step(_ glyphs: [GlyphPlacement], _ spacings: [Double], to index: Int) -> Double {
        spacings[index] * (glyphs[index - 1].halfExtent.x + glyphs[index].halfExtent.x)
    }
}
