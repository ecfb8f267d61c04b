import EIDInterface
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import EIDSimulation
@testable import EIDWebSocket

/// Runs a server while `body` runs.
func withServer(
    _ scenario: String = "{}", _ body: @escaping @Sendable (Int, KernelHost) async throws -> Void
) async throws {
    let host = KernelHost(try Scenario(parsing: Data(scenario.utf8)))
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await KernelServer(host, port: 0).run { continuation.yield($0) } }
        group.addTask {
            for await port in ports { return try await body(port, host) }
        }
        try await group.next()
        group.cancelAll()
    }
}

/// What the server answers to these bytes, until it closes the connection.
func answer(to request: String, port: Int) async throws -> String {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
    return try await channel.executeThenClose { inbound, outbound in
        try await outbound.write(ByteBuffer(string: request.replacingOccurrences(of: "\n", with: "\r\n")))
        var answer = ""
        for try await bytes in inbound { answer += String(buffer: bytes) }
        return answer
    }
}

private func upgrade(_ path: String = "/eID-Kernel", _ header: String = "") -> String {
    "GET \(path) HTTP/1.1\nHost: localhost\nConnection: Upgrade\nUpgrade: websocket\n"
        + "Sec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\(header)\n"
}

private func transport(_ port: Int) -> WebSocketTransport {
    WebSocketTransport(host: "127.0.0.1", port: port, userAgent: "tests")
}

/// The next message; fails if there is none.
private func next(_ messages: inout AsyncThrowingStream<Data, any Error>.AsyncIterator) async throws -> Message {
    try Message(parsing: try #require(try await messages.next()))
}

@Suite("The simulator's server", .timeLimit(.minutes(15)))
struct ServerTests {
    @Test("An app connects, agrees on a level and changes a PIN")
    func session() async throws {
        try await withServer { port, _ in
            try await transport(port).withConnection { connection in
                var messages = connection.messages.makeAsyncIterator()
                try await connection.send(Command.getAPILevel.text)
                #expect(try await next(&messages) == .apiLevel(APILevelMessage(available: [1, 2, 3], current: 3)))
                try await connection.send(Command.runChangePIN(RunChangePIN(status: false)).text)
                #expect(try await next(&messages) == .changePIN(.started))
                #expect(try await next(&messages).name == .enterPIN)
                try await connection.send(Command.setPIN(CardSecret(digits: "123456")).text)
                #expect(try await next(&messages).name == .enterNewPIN)
                try await connection.send(Command.setNewPIN(CardSecret(digits: "111111")).text)
                #expect(try await next(&messages) == .changePIN(.finished(success: true, reason: nil)))
            }
        }
    }

    @Test("A second app gets 429; when the first one is gone its workflow is cancelled, and another one connects")
    func second() async throws {
        try await withServer { port, _ in
            try await transport(port).withConnection { connection in
                var messages = connection.messages.makeAsyncIterator()
                try await connection.send(Command.runChangePIN(RunChangePIN()).text)
                _ = try await next(&messages)
                await #expect(throws: TransportError.refused(status: 429)) {
                    try await transport(port).withConnection { _ in }
                }
            }
            // The server notices the end of a connection a little later.
            var status = 429
            while status == 429 {
                do {
                    try await transport(port).withConnection { connection in
                        var messages = connection.messages.makeAsyncIterator()
                        try await connection.send(Command.cancel.text)
                        #expect(try await next(&messages) == .badState(command: "CANCEL"))
                    }
                    status = 0
                } catch TransportError.refused(let refused) {
                    status = refused
                }
            }
            #expect(status == 0)
        }
    }

    @Test("The kernel says what happens to readers at any time, and ends what it does not want any longer")
    func events() async throws {
        try await withServer { port, host in
            try await transport(port).withConnection { connection in
                var messages = connection.messages.makeAsyncIterator()
                try await connection.send(Command.getInfo.text)
                #expect(try await next(&messages) == .info(SimulatedKernel.version))
                await host.perform(.remove(reader: "Simulator"))
                #expect(try await next(&messages).name == .reader)
                await host.perform(.disconnect)
                #expect(try await messages.next() == nil)
            }
        }
    }

    @Test(
        "Other requests get their statuses, and the version in Server",
        arguments: [
            (upgrade("/"), "404"), (upgrade("/eID-Kernel", "Origin: https://evil.example\n"), "403"),
            (upgrade().replacingOccurrences(of: "localhost", with: "evil.example"), "403"),
            ("GET /eID-Kernel HTTP/1.1\nHost: localhost\n\n", "404"),
            ("POST /eID-Client?Status HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n", "404"),
        ])
    func statuses(_ request: String, _ status: String) async throws {
        try await withServer { port, _ in
            let answer = try await answer(to: request, port: port)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            #expect(answer.contains("Server: eid-simulator/"))
            #expect(answer.contains(" (TR-03124-1/1.3)"))
        }
    }

    @Test("A closed program answers 503, and a busy one 409")
    func closed() async throws {
        for (scenario, status) in [(#"{"disabled":true}"#, 503), (#"{"busy":true}"#, 409)] {
            try await withServer(scenario) { port, _ in
                await #expect(throws: TransportError.refused(status: status)) {
                    try await transport(port).withConnection { _ in }
                }
            }
        }
    }

    @Test("The status page has lines or JSON")
    func statusPage() async throws {
        try await withServer { port, _ in
            let lines = try await answer(to: "GET /eID-Client?Status HTTP/1.1\nHost: localhost\n\n", port: port)
            #expect(lines.contains("\r\n\r\nImplementation-Title: eid-simulator (simulation, authenticates nobody)\n"))
            let json = try await answer(to: "GET /eID-Client?Status=json HTTP/1.1\nHost: localhost\n\n", port: port)
            #expect(json.contains(#""Name":"eid-simulator""#))
        }
    }

    @Test("Nobody answers where no AusweisApp is")
    func unreachable() async throws {
        await #expect(throws: TransportError.unreachable) {
            try await WebSocketTransport(host: "127.0.0.1", port: 1, userAgent: "tests").withConnection { _ in }
        }
    }

    @Test("A program that accepts a connection and says nothing is given up")
    func mute() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        await #expect(throws: TransportError.unreachable) { try await transport(port).withConnection { _ in } }
        try await server.close()
    }

    @Test("A message that is too long ends the connection")
    func tooLong() async throws {
        try await withServer { port, host in
            try await transport(port).withConnection { connection in
                var messages = connection.messages.makeAsyncIterator()
                try await connection.send(Command.getInfo.text)
                _ = try await next(&messages)
                await host.perform(.send(String(repeating: "x", count: Message.byteLimit + 1)))
                await #expect(throws: TransportError.protocolError) { try await messages.next() }
            }
        }
    }
}
