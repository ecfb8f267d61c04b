import Foundation
import Testing

@testable import PINImages

@Suite struct PaletteTests {
    @Test(arguments: PINImageLook.Theme.allCases)
    func `ink and paper differ by a contrast of 7 to 1 at least`(theme: PINImageLook.Theme) throws {
        for seed in 0..<1000 {
            var random = SeededGenerator(seed: seed)
            let colors = InkPalette(theme: theme, using: &random).colors
            let (paper, ink) = (try #require(colors.first), try #require(colors.last))
            #expect(Self.contrast(paper, ink) >= 7)
            #expect((Self.luminance(paper) > Self.luminance(ink)) == (theme == .light))
        }
    }

    @Test func `the colors that differ least have this contrast too`() {
        let dark = UInt8(InkPalette.darkComponents.upperBound)
        let light = UInt8(InkPalette.lightComponents.lowerBound)
        let (darkest, lightest) = (
            InkPalette.Color(red: dark, green: dark, blue: dark),
            InkPalette.Color(red: light, green: light, blue: light)
        )
        #expect(Self.contrast(darkest, lightest) >= 7)
    }

    @Test func `full ink and full paper are the ends of the palette`() {
        #expect(InkPalette.index(ofInk: 0) == 0 && InkPalette.index(ofInk: 255) == 3)
        #expect(InkPalette.index(ofInk: 85) == 1 && InkPalette.index(ofInk: 170) == 2)
    }

    /// WCAG 2.2, "contrast ratio".
    private static func contrast(_ one: InkPalette.Color, _ other: InkPalette.Color) -> Double {
        let (first, second) = (luminance(one) + 0.05, luminance(other) + 0.05)
        return max(first, second) / min(first, second)
    }

    /// WCAG 2.2, "relative luminance".
    private static func luminance(_ color: InkPalette.Color) -> Double {
        func linear(_ component: UInt8) -> Double {
            let value = Double(component) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
    }
}
