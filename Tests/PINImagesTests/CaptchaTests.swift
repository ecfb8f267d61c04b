import Foundation
import PythonOracle
import SecureMemory
import Testing

@testable import PINImages

@Suite struct CaptchaTests {
    private let renderer: PINImageRenderer

    init() throws {
        renderer = try PINImageRenderer()
    }

    private static let digits = "314159265358"
    /// The size limit per image, which keeps a whole delivery small.
    private static let captchaByteLimit = 8192

    private func captcha(_ count: Int, using random: inout some RandomNumberGenerator) throws -> [UInt8] {
        let pin = SecretBytes(copying: Array(Self.digits.utf8.prefix(count)))
        return try renderer.captcha(of: pin, using: &random).withBytes { Array($0) }
    }

    @Test(arguments: 4...12)
    func `a PIN of 4 to 12 digits becomes a small image, wider for more digits`(count: Int) throws {
        var random = SystemRandomNumberGenerator()
        let png = try captcha(count, using: &random)
        #expect(png.count <= Self.captchaByteLimit)
        #expect(PNGHead(png) == PNGHead(width: max(240, 40 * count), height: 90))
    }

    @Test(.enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)), arguments: [4, 6, 12])
    func `an independent decoder reads every chunk and row`(count: Int) throws {
        var random = SystemRandomNumberGenerator()
        let png = Data(try captcha(count, using: &random)).base64EncodedString()
        let answer = try PythonOracle(script: "Oracles/decode_png.py").ask("describe", ["png": png])
        #expect(answer["height"] == "90")
        #expect(answer["width"] == String(max(240, 40 * count)))
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
            return try renderer.captcha(of: SecretBytes(copying: Array(text.utf8)), using: &random)
                .withBytes { Array($0) }
        }
        #expect(try draw("1234") != draw("1235"))
        #expect(try draw("1234") == draw("1234"))
    }

    @Test(arguments: ["", "123", "1234567890123"])
    func `other lengths are refused`(text: String) {
        var random = SystemRandomNumberGenerator()
        #expect(throws: PINImageError.wrongLength) {
            _ = try renderer.captcha(of: SecretBytes(copying: Array(text.utf8)), using: &random).count
        }
    }

    @Test(arguments: ["12a4", "12 4", "１２３４"])
    func `characters other than ASCII digits are refused`(text: String) {
        var random = SystemRandomNumberGenerator()
        #expect(throws: PINImageError.self) {
            _ = try renderer.captcha(of: SecretBytes(copying: Array(text.utf8)), using: &random).count
        }
    }

    @Test func `each digit has its own image, all of the same size`() throws {
        var random = SystemRandomNumberGenerator()
        let pin = SecretBytes(copying: Array("1870".utf8))
        for position in 0..<4 {
            let png = try renderer.digitImage(of: pin, at: position, using: &random).withBytes { Array($0) }
            #expect(PNGHead(png) == PNGHead(width: 60, height: 90))
        }
        #expect(throws: PINImageError.noSuchPosition) {
            _ = try renderer.digitImage(of: pin, at: 4, using: &random).count
        }
    }

    @Test func `many threads can draw at the same time, with the same results as one thread`() async throws {
        let expected = try (0..<64).map { seed in
            var random = SeededGenerator(seed: UInt64(seed))
            return try captcha(6, using: &random)
        }
        let renderer = renderer
        let drawn = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            for seed in 0..<64 {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(seed))
                    let pin = SecretBytes(copying: Array(Self.digits.utf8.prefix(6)))
                    return (seed, try renderer.captcha(of: pin, using: &random).withBytes { Array($0) })
                }
            }
            return try await group.reduce(into: [Int: [UInt8]]()) { $0[$1.0] = $1.1 }
        }
        #expect((0..<64).allSatisfy { drawn[$0] == expected[$0] })
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
