import Foundation
import ServerHarness

/// The results of searches in core dumps of the scene's server.
struct Core: Sendable {
    let scene: Scene
    let images: [Needle]
    /// The needles found in all memory, including the secure heap.
    let inAllMemory: Set<String>
    /// The needles found in what a kernel core dump would contain if core dumps were allowed.
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

    /// The part of the memory that a core dump contains.
    enum Extent {
        /// All memory, including the secure heap.
        case all
        /// What the kernel would write if core dumps were allowed.
        case kernels
    }

    /// Makes a core dump and searches it.
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
        let all =
            deliveries.flatMap(\.imageTexts).enumerated().flatMap { pieces("base64 of image \($0)", Array($1.utf8)) }
            + images.enumerated().flatMap { pieces("PNG of image \($0)", $1) }
            + rows.enumerated().flatMap { pieces("row of pixels \($0)", $1) }
        return all.filter { changes(in: $0.bytes) > 8 && $0.bytes.prefix(4) != [0, 0, 0, 0] }
    }

    /// The number of bytes that differ from the byte before: nearly none where there is only background.
    private static func changes(in bytes: [UInt8]) -> Int {
        zip(bytes, bytes.dropFirst()).count { $0 != $1 }
    }

    /// Pieces of 32 bytes, because memory can keep some pieces after others were overwritten. The start is skipped, because
    /// it is the same for all images.
    private static func pieces(_ name: String, _ bytes: [UInt8]) -> [Needle] {
        stride(from: 96, to: bytes.count - 32, by: 32).map { Needle("\(name), byte \($0)", bytes[$0..<$0 + 32]) }
    }
}
