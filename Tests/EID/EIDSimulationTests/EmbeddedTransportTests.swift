import EIDInterface
import EIDSimulation
import Foundation
import Synchronization
import Testing

/// An SDK inside an app, with the functions of `AusweisApp2.h`. Its kernel is the simulated one.
private final class SDK: EmbeddedKernel {
    struct State {
        var kernel = SimulatedKernel()
        var receive: (@Sendable (EmbeddedKernelEvent) -> Void)?
    }

    private let state = Mutex(State())
    private let firstEvent: EmbeddedKernelEvent

    init(firstEvent: EmbeddedKernelEvent = .ready) {
        self.firstEvent = firstEvent
    }

    var isRunning: Bool { state.withLock { $0.receive != nil } }

    func start(_ receive: @escaping @Sendable (EmbeddedKernelEvent) -> Void) -> Bool {
        let isNew = state.withLock { state in
            guard state.receive == nil else { return false }
            state.receive = receive
            return true
        }
        if isNew { receive(firstEvent) }
        return isNew
    }

    func send(_ command: UnsafePointer<CChar>) {
        let bytes = String(cString: command).utf8
        let (outputs, receive) = state.withLock { ($0.kernel.receive(bytes), $0.receive) }
        for case .message(let message, let level) in outputs {
            receive?(.message(message.text(level: level).withBytes { String(decoding: $0, as: UTF8.self) }))
        }
    }

    func shutdown() {
        state.withLock { state in
            state.kernel.disconnect()
            state.receive = nil
        }
    }

    func stopByItself() { state.withLock(\.receive)?(.stopped) }
}

@Suite("An AusweisApp inside an app", .timeLimit(.minutes(15)))
struct EmbeddedTransportTests {
    @Test("It is started, takes commands, and is shut down in the end")
    func exchange() async throws {
        let sdk = SDK()
        try await EmbeddedTransport(sdk).withConnection { connection in
            #expect(sdk.isRunning)
            var messages = connection.messages.makeAsyncIterator()
            try await connection.send(Command.getInfo.text)
            let message = try Message(parsing: try #require(try await messages.next()))
            #expect(message == .info(SimulatedKernel.version))
        }
        #expect(!sdk.isRunning)
    }

    @Test("If it ends by itself, its messages end")
    func stopped() async throws {
        let sdk = SDK()
        try await EmbeddedTransport(sdk).withConnection { connection in
            var messages = connection.messages.makeAsyncIterator()
            sdk.stopByItself()
            let end = try await messages.next()
            #expect(end == nil)
        }
    }

    @Test("It cannot be used twice at once, and is not shut down by the second one")
    func twice() async throws {
        let sdk = SDK()
        try await EmbeddedTransport(sdk).withConnection { _ in
            await #expect(throws: TransportError.refused(status: 429)) {
                try await EmbeddedTransport(sdk).withConnection { _ in }
            }
            #expect(sdk.isRunning)
        }
    }

    @Test("If it does not start, nobody waits")
    func notReady() async throws {
        let sdk = SDK(firstEvent: .stopped)
        await #expect(throws: TransportError.unreachable) {
            try await EmbeddedTransport(sdk).withConnection { _ in }
        }
        #expect(!sdk.isRunning)
    }

    @Test("An SDK that sends more than anybody reads is disconnected")
    func flood() async throws {
        let sdk = SDK()
        try await EmbeddedTransport(sdk).withConnection { connection in
            for _ in 0...KernelConnection.waitingMessageLimit { try await connection.send(Command.getInfo.text) }
            await #expect(throws: TransportError.protocolError) {
                for try await _ in connection.messages {}
            }
        }
    }
}
