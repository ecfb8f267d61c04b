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
            Self.speckle(Effect.allCases[index % 2], in: size, style: style, random: random.next())
        }
    }

    /// - Parameter random: all randomness of the speckle. Speckles are many, and to ask the system for random bits costs
    ///   more than to draw a speckle with them.
    private static func speckle(_ effect: Effect, in size: PixelSize, style: CaptchaStyle, random: UInt64) -> Speckle {
        /// One of 65,536 numbers from 0 to 1, from 16 random bits.
        func fraction(_ bits: UInt64) -> Double {
            Double(UInt16(truncatingIfNeeded: bits)) / Double(UInt16.max)
        }
        let radii = style.speckleRadius
        return Speckle(
            effect: effect,
            center: Point(
                x: fraction(random) * Double(size.width), y: fraction(random >> 16) * Double(size.height)),
            radius: radii.lowerBound + fraction(random >> 32) * (radii.upperBound - radii.lowerBound))
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
