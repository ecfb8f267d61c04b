import Foundation
import ServerHarness
import Testing

/// An app with the Android library: a Java program that makes the calls it is told to, in one session
/// (java/cardcompanion/samples/DocumentSamples.java). It ends when nobody holds this object any more.
final class AndroidApp: Sendable {
    /// The program ended, or answered with something else than JSON.
    struct NoAnswer: Error {
        let call: String
    }

    private static let builder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Clients/CardCompanionAndroid/build").standardized.path

    /// The arguments of `java` that start the program. It is compiled once.
    private static let arguments = Once {
        let folder = TestFolder.shared.unused("android-samples")
        let built = try await TestCommand.run(builder, ["--samples", "--output", folder]).succeeded()
        return try #require(built.stdout.split(separator: "\n").last).split(separator: " ").dropFirst().map(String.init)
    }

    /// Compiles the library and its tests, and runs them.
    static func runTests() async throws -> CommandResult {
        try await TestCommand.run(builder, ["--test", "--output", TestFolder.shared.unused("android-tests")])
    }

    private let lines: Lines

    init() async throws {
        lines = try Lines(arguments: await Self.arguments.value)
    }

    /// Makes a call, and returns what the app got.
    func call(_ name: String, _ parameters: [String: JSON] = [:]) async throws -> [String: JSON] {
        let question = JSON.object(parameters.merging(["call": .string(name)]) { $1 }).text
        let answer = try await lines.answer(to: question)
        let members = try JSON(parsing: answer).object ?? [:]
        try #require(members["fault"] == nil, "\(name): \(members)")
        return members
    }

    /// The program's standard input and output. One question waits for its answer at a time, on a thread of the queue, because
    /// Swift's pool has few. Only the queue uses the properties.
    private final class Lines: @unchecked Sendable {
        private let queue = DispatchQueue(label: "android")
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()
        private var read = Data()

        init(arguments: [String]) throws {
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"] + arguments
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        func answer(to question: String) async throws -> String {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result { try self.answerHere(to: question) }) }
            }
        }

        private func answerHere(to question: String) throws -> String {
            try input.fileHandleForWriting.write(contentsOf: Data("\(question)\n".utf8))
            while true {
                if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { read = Data(read[read.index(after: end)...]) }
                    return String(decoding: read[..<end], as: UTF8.self)
                }
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { throw NoAnswer(call: question) }
                read += more
            }
        }
    }
}
