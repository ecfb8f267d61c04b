import CardCompanionAPI
import Testing

@testable import CardCompanionSDK

/// Which keypad a cardholder sees (protocol, section 2.7).
@Suite struct KeypadMemoryTests {
    private static let holder = KeypadMemory.Holder(bankId: "BANK", uniqueId: "102456")
    private let clock = ManualClock()
    private let memory: KeypadMemory

    init() {
        memory = KeypadMemory(now: clock.now)
    }

    /// Asks for a keypad. Before the answer comes, `meanwhile` happens.
    private func ask(
        _ keypadId: String?, of holder: KeypadMemory.Holder = holder, meanwhile: @Sendable () async -> Void = {}
    ) async {
        _ = try? await memory.remember(for: holder) { () throws(SDKError) in
            await meanwhile()
            guard let keypadId else { throw SDKError(.noNetwork, "test") }
            var response = KeyPadCoordinatesResponse(errorCode: 0, errorMessage: "Success")
            response.keypadId = keypadId
            return response
        }
    }

    private func newest(of holder: KeypadMemory.Holder = holder) async throws -> String? {
        try await memory.newest(for: holder)
    }

    @Test func `The newest of several is the one`() async throws {
        #expect(try await newest() == nil)
        await ask("k-1")
        await ask("k-2")
        #expect(try await newest() == "k-2")
    }

    @Test func `A request that fails leaves the keypad that the cardholder sees`() async throws {
        await ask("k-1")
        await ask(nil)
        #expect(try await newest() == "k-1")
    }

    @Test func `If two requests overlap the code is 90000, until a keypad is asked for alone`() async throws {
        await ask("k-1")
        await ask("k-2") { await ask("k-3") }
        await #expect(throws: SDKError.self) { try await newest() }
        clock.advance(bySeconds: 10)
        await ask("k-4")
        #expect(try await newest() == "k-4")
    }

    @Test func `Requests that overlap in a chain count as overlapping`() async throws {
        await ask("k-1") {
            await ask("k-2")
            await ask("k-3")
        }
        await #expect(throws: SDKError.self) { try await newest() }
    }

    @Test func `If only one of two overlapping requests hands out a keypad, that one is seen`() async throws {
        await ask("k-1") { await ask(nil) }
        #expect(try await newest() == "k-1")
        await ask(nil) { await ask("k-2") }
        #expect(try await newest() == "k-2")
    }

    @Test func `While a request waits, the keypad before it counts`() async throws {
        await ask("k-1")
        await ask("k-2") {
            let seen = try? await newest()
            #expect(seen == "k-1")
        }
    }

    @Test func `Requests of different cardholders do not overlap`() async throws {
        let other = KeypadMemory.Holder(bankId: "BANK", uniqueId: "another")
        await ask("k-1") { await ask("k-2", of: other) }
        #expect(try await newest() == "k-1")
        #expect(try await newest(of: other) == "k-2")
    }

    @Test func `A keypad that is forgotten while another one is asked for does not come back`() async throws {
        await ask("k-1")
        await ask("k-2") { await memory.forget(Self.holder) }
        #expect(try await newest() == "k-2")
        await memory.forget(Self.holder)
        #expect(try await newest() == nil)
    }

    @Test func `A keypad that has served is forgotten, and a newer one stays`() async throws {
        await ask("k-1")
        await ask("k-2")
        await memory.forget("k-1", of: Self.holder)
        #expect(try await newest() == "k-2")
        await memory.forget("k-2", of: Self.holder)
        #expect(try await newest() == nil)
        await ask("k-3") { await ask("k-4") }
        await memory.forget("k-3", of: Self.holder)
        await #expect(throws: SDKError.self) { try await newest() }
    }

    @Test func `Overlapping requests are forgotten after five minutes too`() async throws {
        await ask("k-1") { await ask("k-2") }
        clock.advance(bySeconds: KeypadMemory.lifetimeSeconds)
        #expect(try await newest() == nil)
    }

    @Test func `Only so many cardholders are remembered, and a waiting one is not removed`() async throws {
        await ask("k-1") {
            for number in 0..<KeypadMemory.maximumCount + 5 {
                await ask("k", of: KeypadMemory.Holder(bankId: "BANK", uniqueId: "\(number)"))
            }
        }
        #expect(try await newest() == "k-1")
        #expect(try await newest(of: KeypadMemory.Holder(bankId: "BANK", uniqueId: "0")) == nil)
    }
}
