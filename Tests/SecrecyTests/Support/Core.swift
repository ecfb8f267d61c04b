import Foundation
import ServerHarness

/// Cores of the scene's server, searched.
struct Core: Sendable {
    let scene: Scene
    let images: [Needle]
    /// What was found in all memory, the secure heap too.
    let inAllMemory: Set<String>
    /// What was found in what the kernel would write, were it allowed.
    let inKernelsCore: Set<String>

    static let shared = Once { try await Core() }

    private init() async throws {
        scene = try await Scene.shared.value
        images = try await Self.imageNeedles(scene.deliveries)
        let all = scene.secrets + Arrival.allCases.flatMap(scene.codeNeedles) + images + [scene.control]
        inAllMemory = try await Self.find(all, in: .all, of: scene.server)
        inKernelsCore = try await Self.find(all, in: .kernels, of: scene.server)
    }

    func found(_ needles: [Needle]) -> [String] {
        needles.map(\.name).filter(inAllMemory.contains)
    }

    /// What of its memory a core holds.
    enum Extent {
        /// The secure heap too.
        case all
        /// What the kernel would write, were it allowed.
        case kernels
    }

    /// Takes a core and searches it.
    static func find(
        _ needles: [Needle], in extent: Extent, of server: TestServer
    ) async throws -> Set<String> {
        let path = TestFolder.shared.unused("core")
        let options = (extent == .all ? ["-a"] : []) + ["-o", path, "\(server.processID)"]
        _ = try await TestCommand.run("gcore", options).succeeded()
        defer { try? FileManager.default.removeItem(atPath: "\(path).\(server.processID)") }
        return Set(try Search.find(needles, in: ["\(path).\(server.processID)"]).keys)
    }

    private static func imageNeedles(_ deliveries: [Delivered]) async throws -> [Needle] {
        let images = deliveries.flatMap(\.images)
        let rows = try await Pixels.rows(of: images)
        return deliveries.flatMap(\.imageTexts).enumerated().flatMap { pieces("base64 of image \($0)", Array($1.utf8)) }
            + images.enumerated().flatMap { pieces("PNG of image \($0)", $1) }
            + rows.enumerated().flatMap { pieces("row of pixels \($0)", $1) }
            .filter { changes(in: $0.bytes) > 8 && $0.bytes.prefix(4) != [0, 0, 0, 0] }
    }

    /// How often a byte differs from the one before it: nearly never where there is only paper.
    private static func changes(in bytes: [UInt8]) -> Int {
        zip(bytes, bytes.dropFirst()).count { $0 != $1 }
    }

    /// Pieces of a longer content: where one is left, another may be overwritten. Its beginning is that of all images.
    private static func pieces(_ name: String, _ bytes: [UInt8]) -> [Needle] {
        stride(from: 96, to: bytes.count - 32, by: 32).map { Needle("\(name), byte \($0)", bytes[$0..<$0 + 32]) }
    }
}
