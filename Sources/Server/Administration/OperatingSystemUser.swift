internal import Foundation
internal import Glibc

/// Who runs a command, as far as the operating system says.
///
/// The login uid is the user who logged in on this machine. The kernel keeps it through `su` and `sudo`, and only a process with
/// CAP_AUDIT_CONTROL can change it. So it tells two people apart who each log in as themselves and then become root or the
/// service's user, but not two people who share a login, and not from a person who can change the kernel's audit settings.
/// Where nobody has logged in (a job, a container), the name that sudo has left counts. Any shell can set that.
package enum OperatingSystemUser {
    package static var name: String {
        name(
            login: login, sudo: ProcessInfo.processInfo.environment["SUDO_USER"], process: processName)
    }

    /// The user whose rights the process has.
    static var processName: String { NSUserName() }

    /// - Parameters:
    ///   - login: the user who logged in; nil if nobody has.
    ///   - sudo: who called sudo.
    ///   - process: the user of the process.
    package static func name(login: String?, sudo: String?, process: String) -> String {
        if let login { return login }
        guard let sudo, !sudo.isEmpty else { return process }
        return sudo
    }

    /// The user who logged in on this machine; nil if nobody has.
    static var login: String? {
        guard let text = try? String(contentsOfFile: "/proc/self/loginuid", encoding: .utf8),
            let uid = UInt32(text.trimmingCharacters(in: .whitespacesAndNewlines)), uid != unset
        else { return nil }
        return getpwuid(uid).map { String(cString: $0.pointee.pw_name) } ?? "uid \(uid)"
    }

    /// What the kernel says before a login: -1.
    private static let unset = UInt32.max
}
