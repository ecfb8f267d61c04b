/// Strokes across the image and speckles. They cover parts of the digits, so that programs cannot read them.
struct Clutter: Equatable, Sendable {
    /// `ink` adds ink, `cut` removes it.
    enum Effect: CaseIterable {
        case ink, cut
    }

    /// A line along a curve from the left edge to the right edge.
    struct Stroke: Equatable {
        let effect: Effect
        let curve: HeightCurve
        let width: Double
    }

    struct Speckle: Equatable {
        let effect: Effect
        let center: Point
        let radius: Double
    }

    let strokes: [Stroke]
    let speckles: [Speckle]

    init(in size: PixelSize, style: CaptchaStyle, using random: inout some RandomNumberGenerator) {
        let effects =
            Array(repeating: Effect.cut, count: style.cutStrokesPerImage)
            + Array(repeating: Effect.ink, count: style.inkStrokesPerImage)
        strokes = effects.map { Self.stroke($0, in: size, style: style, using: &random) }
        speckles = (0..<size.width * size.height / style.pixelsPerSpeckle).map { index in
            Speckle(
                effect: Effect.allCases[index % 2],
                center: Point(
                    x: Double.random(in: 0...Double(size.width), using: &random),
                    y: Double.random(in: 0...Double(size.height), using: &random)),
                radius: Double.random(in: style.speckleRadius, using: &random))
        }
    }

    private static func stroke(
        _ effect: Effect, in size: PixelSize, style: CaptchaStyle, using random: inout some RandomNumberGenerator
    ) -> Stroke {
        let widths = effect == .ink ? style.inkStrokeWidth : style.cutStrokeWidth
        let heights = (0...3).map { _ in Double.random(in: 0...Double(size.height), using: &random) }
        return Stroke(
            effect: effect,
            curve: HeightCurve(heights[0], heights[1], heights[2], heights[3]),
            width: Double.random(in: widths, using: &random))
    }
}
