import ServerHarness
import Testing

/// Searches the server's memory with `gcore`, which only root can use. Serialized, because only one debugger can attach.
@Suite("Secrets in memory", .serialized)
struct MemoryTests {}

extension MemoryTests {
    /// The memory directly after requests that brought secrets to the server.
    @Suite("Secrets of deliveries and of a definition", .serialized)
    struct DeliveryMemoryTests {
        @Test("The search finds a text that must be in memory")
        func control() async throws {
            let core = try await Core.shared.value
            #expect(core.inAllMemory.contains(core.scene.control.name))
            #expect(core.inKernelsCore.contains(core.scene.control.name))
        }

        @Test("No delivered or defined PIN is in memory, in any encoding")
        func pins() async throws {
            let core = try await Core.shared.value
            #expect(core.found(core.scene.pinNeedles).isEmpty)
        }

        @Test("No delivered image is in memory, as base64, PNG or rows of pixels")
        func images() async throws {
            let core = try await Core.shared.value
            #expect(core.images.count > 100 * core.scene.deliveries.count)
            #expect(core.found(core.images).isEmpty)
        }

        @Test("No notify key is in memory")
        func notifyKeys() async throws {
            let core = try await Core.shared.value
            #expect(core.found(core.scene.notifyKeyNeedles).isEmpty)
        }
    }
}
