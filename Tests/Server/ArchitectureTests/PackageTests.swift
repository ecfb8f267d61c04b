import Foundation
import Testing

@Suite("Package.swift")
struct PackageTests {
    // What it saves an app, and how an app switches the trait off, is in docs/apps.md.
    @Test("An app that adds the package without the trait Server fetches swift-crypto, and nothing of the server")
    func dependencies() throws {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        let always = manifest.matches(of: /\.product\(\s*name: "[^"]+",\s*package: "([^"]+)"/).map { $0.output.1 }
        #expect(Set(always) == ["swift-crypto"])
        let guarded = manifest.matches(of: /\.product\(name: product, package: package, condition: (.+)\)/)
        #expect(guarded.map(\.output.1) == [".when(traits: [serverTrait])"])
        #expect(manifest.matches(of: /\.product\(/).count == always.count + guarded.count, "no other form")
        #expect(manifest.matches(of: /= server\("/).count > 20)
    }
}
