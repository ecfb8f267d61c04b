/// Sixteen colors from paper to ink, for a coverage of 0 to 15.
struct InkPalette: Equatable, Sendable {
    /// An sRGB color.
    struct Color: Equatable {
        let red: UInt8
        let green: UInt8
        let blue: UInt8
    }

    static let count = 16

    let colors: [Color]

    /// The index of the color for a pixel of ``InkPixels``.
    static func index(ofInk ink: UInt8) -> UInt8 {
        ink / UInt8(256 / count)
    }

    init(style: CaptchaStyle, using random: inout some RandomNumberGenerator) {
        let paper = (0..<3).map { _ in Int.random(in: style.paperComponent, using: &random) }
        let ink = (0..<3).map { _ in Int.random(in: style.inkComponent, using: &random) }
        colors = (0..<Self.count).map { step in
            let mixed = (0..<3).map { UInt8(paper[$0] + (ink[$0] - paper[$0]) * step / (Self.count - 1)) }
            return Color(red: mixed[0], green: mixed[1], blue: mixed[2])
        }
    }
}
