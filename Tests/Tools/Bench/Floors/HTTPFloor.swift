import ArgumentParser
import Foundation
import HTTPTypes
import Hummingbird
import ServerHarness

/// The HTTP framework alone: reads the body and answers a constant. It runs in a process of its own, so that its CPU time
/// can be measured.
struct HTTPFloorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http-floor", abstract: "Answers each request with a constant.", shouldDisplay: false)

    @Option var answerBytes: Int

    func run() async throws {
        let answer = ByteBuffer(repeating: UInt8(ascii: "0"), count: answerBytes)
        let router = Router()
        for method in [HTTPRequest.Method.get, .post, .put] {
            router.on("**", method: method) { request, _ in
                _ = try await request.body.collect(upTo: 1 << 16)
                return Response(
                    status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: answer))
            }
        }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0))
        ) { channel in
            FileHandle.standardOutput.write(Data("port \(channel.localAddress?.port ?? 0)\n".utf8))
        }
        try await application.runService()
    }
}

/// A running ``HTTPFloorCommand``.
struct HTTPFloor {
    private let process = Process()
    let port: Int

    var processID: Int32 { process.processIdentifier }

    init(answerByteCount: Int) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["http-floor", "--answer-bytes", "\(answerByteCount)"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        try TestFolder.shared.watch(process: process.processIdentifier)
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        port = line.split(separator: " ").last.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        guard port > 0 else { throw LoadFailed(description: "the HTTP floor did not start") }
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
