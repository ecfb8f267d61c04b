internal import Foundation

/// Finds the programs under test: next to the test bundle, or at the path in the environment variable.
package enum CardCompanionBinary {
    /// The environment variable that overrides the path of `card-companion`.
    package static let variable = "CARD_COMPANION_BINARY"

    package static let path: String = {
        if let path = ProcessInfo.processInfo.environment[variable] { return path }
        guard let path = candidates.first(where: FileManager.default.isExecutableFile) else {
            preconditionFailure("card-companion not found at any of \(candidates): build it first")
        }
        return path
    }()

    /// `card-companion-sandbox`, beside it.
    package static let sandboxPath = "\(path)-sandbox"

    /// Under `swift test`, the running program is the test bundle, or has the bundle as an argument.
    private static var candidates: [String] {
        let running = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let paths = [running] + CommandLine.arguments.filter { $0.contains(".xctest") }
        return paths.map {
            URL(filePath: $0).deletingLastPathComponent().appending(path: "card-companion").path
        }
    }
}
