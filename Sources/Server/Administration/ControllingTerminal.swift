internal import Glibc

/// The terminal that a command was typed on.
enum ControllingTerminal {
    /// Its device; nil if there is none.
    static var name: String? {
        [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].lazy.compactMap { file -> String? in
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            guard ttyname_r(file, &buffer, buffer.count) == 0 else { return nil }
            return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }.first
    }
}
