/// Four colors from paper to ink, for a coverage of 0 to 3. Ink and paper differ so much that people with weak sight can
/// read it (contrast of at least 7:1, WCAG 2.2, success criterion 1.4.6).
struct InkPalette: Equatable, Sendable {
    /// An sRGB color.
    struct Color: Equatable {
        let red: UInt8
        let green: UInt8
        let blue: UInt8
    }

    static let count = 4
    static let darkComponents = 0...60
    static let lightComponents = 226...255

    let colors: [Color]

    /// The index of the color for a pixel of ``InkPixels``.
    static func index(ofInk ink: UInt8) -> UInt8 {
        UInt8((Int(ink) * (count - 1) + 127) / 255)
    }

    init(theme: PINImageLook.Theme, using random: inout some RandomNumberGenerator) {
        let dark = Self.components(Self.darkComponents, using: &random)
        let light = Self.components(Self.lightComponents, using: &random)
        switch theme {
        case .light: self.init(paper: light, ink: dark)
        case .dark: self.init(paper: dark, ink: light)
        }
    }

    private init(paper: [Int], ink: [Int]) {
        colors = (0..<Self.count).map { step in
            let mixed = (0..<3).map { UInt8(paper[$0] + (ink[$0] - paper[$0]) * step / (Self.count - 1)) }
            return Color(red: mixed[0], green: mixed[1], blue: mixed[2])
        }
    }

    private static func components(
        _ range: ClosedRange<Int>, using random: inout some RandomNumberGenerator
    ) -> [Int] {
        (0..<3).map { _ in Int.random(in: range, using: &random) }
    }
}
