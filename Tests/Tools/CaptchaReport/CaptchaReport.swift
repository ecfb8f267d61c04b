import ArgumentParser
import Foundation
import Glibc
import PINImages
import SecureMemory

/// Draws images of random PINs with the project's renderer, for report/captcha_report.py.
@main
struct CaptchaReport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captcha-report",
        abstract: "Draws images of random PINs, and writes them as PNG files with their digits.",
        discussion: "It is a part of 'make captcha-report'.")

    /// What an image shows.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case captcha, digits
    }

    @Option(help: "The style of the images.")
    var style = PINImageLook.Style.standard

    @Option(help: "The theme of the images.")
    var theme = PINImageLook.Theme.light

    @Option(help: "Whole PINs (captcha), or one digit per image (digits).")
    var format = Format.captcha

    @Option(help: "How many digits a PIN has.")
    var length = 4

    @Option(help: "How many images to draw.")
    var count = 500

    @Option(help: "The folder for the images and for images.json.")
    var output: String

    /// The contents of images.json.
    private struct Description: Encodable {
        let answers: [String]
        let byteCount: Int
        let microseconds: Double
    }

    func run() throws {
        let folder = URL(filePath: output)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let renderer = try PINImageRenderer()
        var random = SystemRandomNumberGenerator()
        var answers: [String] = []
        var byteCount = 0
        var ticks: clock_t = 0
        for index in 0..<count {
            let text = (0..<length).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
            let start = clock()
            let image = try draw(text, with: renderer, using: &random)
            ticks += clock() - start
            byteCount = image.count
            answers.append(format == .captcha ? text : String(text.prefix(1)))
            try image.withBytes { Data($0) }.write(to: folder.appending(path: String(format: "%05d.png", index)))
        }
        let microseconds = Double(ticks) * 1e6 / Double(CLOCKS_PER_SEC) / Double(max(1, count))
        let description = Description(answers: answers, byteCount: byteCount, microseconds: microseconds)
        try JSONEncoder().encode(description).write(to: folder.appending(path: "images.json"))
    }

    private func draw(
        _ text: String, with renderer: PINImageRenderer, using random: inout some RandomNumberGenerator
    ) throws -> SecretBytes {
        let pin = SecretBytes(copying: Array(text.utf8))
        let look = PINImageLook(style: style, theme: theme)
        return switch format {
        case .captcha: try renderer.captcha(of: pin, look: look, using: &random)
        case .digits: try renderer.digitImage(of: pin, at: 0, look: look, using: &random)
        }
    }
}

extension PINImageLook.Style: ExpressibleByArgument {}
extension PINImageLook.Theme: ExpressibleByArgument {}
