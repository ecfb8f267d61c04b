import Foundation
import Glibc

/// What processes have used, from the kernel.
enum ProcessTimes {
    /// The CPU time of a process, in seconds.
    static func seconds(of process: Int32) -> Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The CPU time of a process and of all its children, also of those that have ended.
    static func secondsWithChildren(of process: Int32) -> Double {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let children = processes.compactMap(Int32.init).compactMap(stat).filter { $0.parent == process }
        let own = stat(process).map { $0.own + $0.endedChildren } ?? 0
        return Double(own + children.map(\.own).reduce(0, +)) / ticksPerSecond
    }

    /// The oldest process of a program whose command line contains a text.
    static func process(named name: String, whoseCommandContains text: String) -> Int32? {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap(Int32.init).sorted().first { process in
            func read(_ file: String) -> String {
                (try? String(contentsOfFile: "/proc/\(process)/\(file)", encoding: .utf8)) ?? ""
            }
            return read("comm") == "\(name)\n" && read("cmdline").contains(text)
        }
    }

    /// The resident memory of a process, in MiB.
    static func residentMiB(of process: Int32) -> Double {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Double($0.filter(\.isNumber)) }.map { $0 / 1024 } ?? 0
    }

    /// The CPU time of this process's thread, in seconds.
    static func ownThreadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The CPU time of programs that this process has run and waited for, in seconds.
    static func endedChildrenSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }.reduce(0, +)
    }

    private static let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))

    /// proc(5): the second field, the name, is in parentheses and can contain anything.
    private static func stat(_ process: Int32) -> (parent: Int32, own: Int, endedChildren: Int)? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[end...].split(separator: " ").dropFirst().map(String.init)
        guard fields.count > 15, let parent = Int32(fields[1]) else { return nil }
        let times = fields[11...14].compactMap(Int.init)
        return (parent, times[0] + times[1], times[2] + times[3])
    }
}
