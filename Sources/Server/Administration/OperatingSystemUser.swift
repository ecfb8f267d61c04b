internal import Foundation

/// Who runs a command, as far as the operating system says.
package enum OperatingSystemUser {
    /// The user who called sudo, or the user of the process. Whoever can act as the process's user could also name somebody
    /// else: this tells honest operators apart.
    package static var name: String {
        let caller = ProcessInfo.processInfo.environment["SUDO_USER"] ?? ""
        return caller.isEmpty ? NSUserName() : caller
    }
}
