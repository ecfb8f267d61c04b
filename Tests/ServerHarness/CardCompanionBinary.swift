internal import Foundation

/// Where the programs under test are: beside the test bundle, or where the environment says.
public enum CardCompanionBinary {
    /// The environment variable that names `card-companion` elsewhere.
    public static let variable = "CARD_COMPANION_BINARY"

    /// The path of `card-companion`.
    public static let path: String = {
        if let path = ProcessInfo.processInfo.environment[variable] { return path }
        guard let path = candidates.first(where: FileManager.default.isExecutableFile) else {
            preconditionFailure("there is no card-companion at any of \(candidates): build it first")
        }
        return path
    }()

    /// Under `swift test` the bundle itself is the program that runs, or an argument of the one that does.
    private static var candidates: [String] {
        let running = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let paths = [running] + CommandLine.arguments.filter { $0.contains(".xctest") }
        return paths.map {
            URL(filePath: $0).deletingLastPathComponent().appending(path: "card-companion").path
        }
    }
}
