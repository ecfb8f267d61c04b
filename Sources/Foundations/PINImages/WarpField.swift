internal import Foundation

/// A smooth random displacement of the plane: a sum of long waves in random directions.
struct WarpField: Equatable, Sendable {
    private struct Wave: Equatable {
        let push: Point
        let frequency: Point
        let phase: Double
    }

    private let waves: [Wave]

    init(style: CaptchaStyle, using random: inout some RandomNumberGenerator) {
        let amplitude = style.warpAmplitude / Double(style.warpWaveCount)
        waves = (0..<style.warpWaveCount).map { _ in
            let wavelength = Double.random(in: style.warpWavelength, using: &random)
            return Wave(
                push: Self.direction(using: &random) * amplitude,
                frequency: Self.direction(using: &random) * (2 * .pi / wavelength),
                phase: Double.random(in: 0...2 * .pi, using: &random))
        }
    }

    /// The position, before the warp, of what is drawn at a point. It is away by at most the style's amplitude.
    func source(of point: Point) -> Point {
        waves.reduce(point) { source, wave in
            source + wave.push * sin(wave.frequency.x * point.x + wave.frequency.y * point.y + wave.phase)
        }
    }

    private static func direction(using random: inout some RandomNumberGenerator) -> Point {
        let angle = Double.random(in: 0...2 * .pi, using: &random)
        return Point(x: cos(angle), y: sin(angle))
    }
}
