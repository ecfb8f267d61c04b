import SecureMemory
import Testing

@testable import PINImages

/// Neither the length of an image nor the work of drawing it may tell the digits.
@Suite struct ConstantWorkTests {
    private static let renderer = try? PINImageRenderer()

    @Test(arguments: PINImageLook.Style.allCases)
    func `all 1 and all 8 take the same work, with the same random numbers`(style: PINImageLook.Style) throws {
        let renderer = try #require(Self.renderer)
        for seed in 0..<20 {
            let works = [4, 6, 12].map { count in
                Set(["1", "8", "0"].map { renderer.work(String(repeating: $0, count: count), style, seed: seed) })
            }
            #expect(works.allSatisfy { $0.count == 1 })
        }
    }

    @Test func `10,000 images with different digits have one length`() async throws {
        let renderer = try #require(Self.renderer)
        let counts = try await withThrowingTaskGroup(of: Set<Int>.self) { group in
            for part in 0..<20 {
                group.addTask {
                    var random = SeededGenerator(seed: part)
                    return try Set(
                        (0..<500).map { index in
                            let text = Self.digits(index, using: &random)
                            return try renderer.digitImage(
                                of: SecretBytes(copying: Array(text.utf8)), at: 3, look: .standard, using: &random
                            ).count
                        })
                }
            }
            return try await group.reduce(into: Set<Int>()) { $0.formUnion($1) }
        }
        #expect(counts == [PINImageRenderer.digitImageByteCount(look: .standard)])
    }

    /// In turn all 1, all 8, and random digits.
    private static func digits(_ index: Int, using random: inout SeededGenerator) -> String {
        switch index % 3 {
        case 0: "1111"
        case 1: "8888"
        default: String((0..<4).map { _ in Character(String(Int.random(in: 0...9, using: &random))) })
        }
    }
}

/// What drawing took.
private struct Work: Hashable {
    let readPixels: Int
    let pixels: Int
    let bytes: Int
    let randomNumbers: Int
}

extension PINImageRenderer {
    fileprivate func work(_ text: String, _ styleName: PINImageLook.Style, seed: Int) -> Work {
        let look = PINImageLook(style: styleName)
        var random = CountingGenerator(random: SeededGenerator(seed: seed))
        let scene = scene(ofDigits: text.utf8.count, look: look, using: &random)
        let digits = SecretBytes(copying: Array(text.utf8))
        var readPixels = 0
        let pixels = digits.withBytes { digits in
            SecretBytes(count: InkPixels.byteCount(scene.pixelSize), in: .ordinary) { bytes in
                readPixels = paint(digits[...], of: scene, onto: InkPixels(of: scene, bytes: bytes))
                for index in bytes.indices { bytes[index] = InkPalette.index(ofInk: bytes[index]) }
            }
        }
        let encoded = StoredPNG.encode(pixels, size: scene.pixelSize, palette: scene.palette)
        return Work(
            readPixels: readPixels, pixels: pixels.count, bytes: encoded.count, randomNumbers: random.count)
    }
}

private struct CountingGenerator: RandomNumberGenerator {
    var random: SeededGenerator
    private(set) var count = 0

    init(random: SeededGenerator) {
        self.random = random
    }

    mutating func next() -> UInt64 {
        count += 1
        return random.next()
    }
}
