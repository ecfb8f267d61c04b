import Foundation
import SecureMemory
import Testing

@testable import PINImages

@Suite struct CaptchaTests {
    /// Reading a typeface takes a while.
    private static let renderer = Result { try PINImageRenderer() }
    private let renderer: PINImageRenderer

    init() throws {
        renderer = try Self.renderer.get()
    }

    private static let digits = "314159265358"

    private func captcha(
        _ count: Int, look: PINImageLook = .standard, using random: inout some RandomNumberGenerator
    ) throws -> [UInt8] {
        let pin = SecretBytes(copying: Array(Self.digits.utf8.prefix(count)))
        return try renderer.captcha(of: pin, look: look, using: &random).withBytes { Array($0) }
    }

    @Test(arguments: 4...12)
    func `a PIN of 4 to 12 digits becomes a small image, wider for more digits`(count: Int) throws {
        var random = SystemRandomNumberGenerator()
        let png = try captcha(count, using: &random)
        #expect(PNGHead(png) == PNGHead(width: max(240, 40 * count), height: 90))
    }

    @Test(arguments: PINImageLook.all)
    func `an image costs more if it has more pixels, but not as many times more`(look: PINImageLook) {
        let pixels = PINImageRenderer.captchaByteCount(digitCount: 6, look: look)
        let usual = PINImageRenderer.captchaByteCount(digitCount: 6, look: .standard)
        #expect((pixels / usual / 3...pixels / usual).contains(look.cost), "\(look)")
    }

    @Test(arguments: PINImageLook.all)
    func `images of every look have the size and the length that were promised`(look: PINImageLook) throws {
        var random = SystemRandomNumberGenerator()
        let (unit, scale) = (look.style == .calm ? 2 : 1, look.scale.rawValue)
        for count in [4, 6, 12] {
            let png = try captcha(count, look: look, using: &random)
            #expect(png.count == PINImageRenderer.captchaByteCount(digitCount: count, look: look))
            #expect(PNGHead(png) == PNGHead(width: max(240, 40 * count) * unit * scale, height: 90 * unit * scale))
        }
        let pin = SecretBytes(copying: Array(Self.digits.utf8))
        let png = try renderer.digitImage(of: pin, at: 11, look: look, using: &random).withBytes { Array($0) }
        #expect(png.count == PINImageRenderer.digitImageByteCount(look: look))
        let (width, height) = look.style == .calm ? (96, 140) : (60, 90)
        #expect(PNGHead(png) == PNGHead(width: width * scale, height: height * scale))
    }

    @Test func `images of the digits format are no larger than a calm captcha`() {
        for scale in PINImageLook.Scale.allCases {
            let calm = PINImageLook(style: .calm, scale: scale)
            for count in 4...12 {
                #expect(
                    count * PINImageRenderer.digitImageByteCount(look: calm)
                        < PINImageRenderer.captchaByteCount(digitCount: count, look: calm))
            }
        }
    }

    @Test func `the same PIN looks different each time`() throws {
        var random = SystemRandomNumberGenerator()
        let images = Set(try (0..<20).map { _ in try captcha(4, using: &random) })
        #expect(images.count == 20)
    }

    @Test func `the same random numbers give the same image`() throws {
        var (one, other) = (SeededGenerator(seed: 7), SeededGenerator(seed: 7))
        #expect(try captcha(6, using: &one) == captcha(6, using: &other))
    }

    @Test func `other digits give another image with the same random numbers`() throws {
        func draw(_ text: String) throws -> [UInt8] {
            var random = SeededGenerator(seed: 7)
            return try renderer.captcha(of: SecretBytes(copying: Array(text.utf8)), look: .standard, using: &random)
                .withBytes { Array($0) }
        }
        #expect(try draw("1234") != draw("1235"))
        #expect(try draw("1234") == draw("1234"))
    }

    @Test(arguments: ["", "123", "1234567890123"])
    func `other lengths are refused`(text: String) {
        var random = SystemRandomNumberGenerator()
        #expect(throws: PINImageError.wrongLength) {
            _ = try renderer.captcha(of: SecretBytes(copying: Array(text.utf8)), look: .standard, using: &random).count
        }
    }

    @Test(arguments: ["12a4", "12 4", "１２３４"])
    func `characters other than ASCII digits are refused`(text: String) {
        var random = SystemRandomNumberGenerator()
        #expect(throws: PINImageError.self) {
            _ = try renderer.captcha(of: SecretBytes(copying: Array(text.utf8)), look: .standard, using: &random).count
        }
    }

    @Test func `each digit has its own image, all of the same size`() throws {
        var random = SystemRandomNumberGenerator()
        let pin = SecretBytes(copying: Array("1870".utf8))
        for position in 0..<4 {
            let png = try renderer.digitImage(of: pin, at: position, look: .standard, using: &random).withBytes {
                Array($0)
            }
            #expect(PNGHead(png) == PNGHead(width: 60, height: 90))
        }
        #expect(throws: PINImageError.noSuchPosition) {
            _ = try renderer.digitImage(of: pin, at: 4, look: .standard, using: &random).count
        }
    }

    @Test func `many threads can draw at the same time, with the same results as one thread`() async throws {
        let expected = try (0..<64).map { seed in
            var random = SeededGenerator(seed: seed)
            return try captcha(6, using: &random)
        }
        let renderer = renderer
        let drawn = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            for seed in 0..<64 {
                group.addTask {
                    var random = SeededGenerator(seed: seed)
                    let pin = SecretBytes(copying: Array(Self.digits.utf8.prefix(6)))
                    return (
                        seed, try renderer.captcha(of: pin, look: .standard, using: &random).withBytes { Array($0) }
                    )
                }
            }
            return try await group.reduce(into: [Int: [UInt8]]()) { $0[$1.0] = $1.1 }
        }
        #expect((0..<64).allSatisfy { drawn[$0] == expected[$0] })
    }
}

extension PINImageLook {
    /// Every style, theme and scale.
    fileprivate static let all = Style.allCases.flatMap { style in
        Theme.allCases.flatMap { theme in
            Scale.allCases.map { PINImageLook(style: style, theme: theme, scale: $0) }
        }
    }
}

/// The size in the header of a PNG.
private struct PNGHead: Equatable {
    let width: Int
    let height: Int

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
    }

    init?(_ png: [UInt8]) {
        guard png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), png.count > 24 else { return nil }
        let number = { (bytes: ArraySlice<UInt8>) in bytes.reduce(0) { $0 << 8 | Int($1) } }
        self.init(width: number(png[16..<20]), height: number(png[20..<24]))
    }
}
