internal import Foundation

/// Plays people who log in on this machine, for programs that ask the kernel who that was.
package enum TestLogin {
    /// What the kernel says where nobody has logged in.
    private static let nobody = "4294967295"

    private static var present: String? {
        (try? String(contentsOfFile: "/proc/self/loginuid", encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Whether a program can be run as somebody who has logged in. A kernel without audit, or a sandbox, does not allow it.
    package static let canBePlayed: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "echo 54321 > /proc/self/loginuid"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// The program and arguments that run a program as if this user had logged in.
    ///
    /// - Parameter uid: nil if nobody has logged in.
    static func command(_ program: String, _ arguments: [String], uid: UInt32?) -> (String, [String]) {
        let login = uid.map { "\($0)" } ?? nobody
        guard let present, present != login else { return (program, arguments) }
        return ("/bin/sh", ["-c", "echo \(login) > /proc/self/loginuid && exec \"$0\" \"$@\"", program] + arguments)
    }
}
