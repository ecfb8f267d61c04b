import Foundation
import PythonOracle
import SecureMemory
import Testing

@testable import PINImages

@Suite struct StoredPNGTests {
    /// Also widths that are no multiple of four, and images whose data need more than one block.
    @Test(
        .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)),
        arguments: [(1, 1), (61, 7), (62, 90), (63, 5), (240, 90), (720, 540), (1440, 540)])
    func `an independent decoder finds the same pixels`(width: Int, height: Int) async throws {
        var random = SeededGenerator(seed: 5)
        let size = PixelSize(width: width, height: height)
        let pixels = (0..<width * height).map { _ in UInt8.random(in: 0...3, using: &random) }
        let palette = InkPalette(theme: .dark, using: &random)
        let png = StoredPNG.encode(SecretBytes(copying: pixels, in: .ordinary), size: size, palette: palette)
        #expect(png.count == StoredPNG.byteCount(size))
        let answer = try await PythonOracle(script: "Oracles/decode_png.py")
            .ask("describe", ["png": png.withBytes { Data($0) }.base64EncodedString()])
        #expect(answer["width"] == String(width) && answer["height"] == String(height))
        #expect(answer["pixels"] == Data(pixels).base64EncodedString())
        let colors = palette.colors.flatMap { [$0.red, $0.green, $0.blue] }
        #expect(answer["palette"] == colors.map { String(format: "%02x", $0) }.joined())
    }
}
