import ServerHarness
import Testing

/// What is in the server's memory. `gcore` takes it as root may at any time, and nobody else: one debugger at a time.
@Suite("Secrets in memory", .serialized)
struct MemoryTests {}

extension MemoryTests {
    /// Right after all that brought secrets to the server.
    @Suite("Secrets of deliveries and of a definition", .serialized)
    struct DeliveryMemoryTests {
        @Test("The search finds what is known to be there")
        func control() async throws {
            let core = try await Core.shared.value
            #expect(core.inAllMemory.contains(core.scene.control.name))
            #expect(core.inKernelsCore.contains(core.scene.control.name))
        }

        @Test("Of a delivered or defined PIN nothing is left, in no form")
        func pins() async throws {
            let core = try await Core.shared.value
            #expect(core.found(core.scene.pinNeedles).isEmpty)
        }

        @Test("Of the images that showed them nothing is left: neither base64, nor PNG, nor rows of pixels")
        func images() async throws {
            let core = try await Core.shared.value
            #expect(core.images.count > 100 * core.scene.deliveries.count)
            #expect(core.found(core.images).isEmpty)
        }

        @Test("Of the keys that notifies are proved with nothing is left")
        func notifyKeys() async throws {
            let core = try await Core.shared.value
            #expect(core.found(core.scene.notifyKeyNeedles).isEmpty)
        }
    }
}
