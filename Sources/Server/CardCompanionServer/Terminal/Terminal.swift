internal import Foundation
internal import Glibc
package import SecureMemory

/// Output of commands, and prompts.
package enum Terminal {
    /// Whether standard error is a terminal.
    package static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    /// The device of the terminal that the command was typed on; nil if there is none.
    static var name: String? {
        [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].lazy.compactMap { file -> String? in
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            guard ttyname_r(file, &buffer, buffer.count) == 0 else { return nil }
            return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }.first
    }

    /// Writes text for people, or JSON for scripts.
    package static func show(_ text: String, json value: some Encodable, asJSON: Bool) throws {
        print(asJSON ? try encode(value) : text)
    }

    /// Writes a line to standard output without buffering, for a program that continues to run.
    package static func showAtOnce(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    static func complain(_ error: CommandError) {
        note("card-companion: \(error.message)")
    }

    /// Writes a line to standard error.
    package static func note(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    /// A value as one line of JSON.
    package static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Rows as columns for people.
    package static func table(_ header: [String], _ rows: [[String]]) -> String {
        guard !rows.isEmpty else { return "none" }
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
                .joined(separator: "  ").trimmingCharacters(in: .whitespaces)
        }.joined(separator: "\n")
    }

    /// Asks for a secret on the terminal, without echo.
    ///
    /// - Throws: ``CommandError`` if there is no terminal.
    package static func askSecret(_ prompt: String, byteLimit: Int) throws -> SecretBytes {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else {
            throw CommandError.badInput("there is no terminal for the prompt: name a file instead")
        }
        defer { close(terminal) }
        var shown = termios()
        guard tcgetattr(terminal, &shown) == 0 else {
            throw CommandError.badInput("the terminal's echo cannot be turned off")
        }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(terminal, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(terminal, TCSAFLUSH, &shown)
            writeText("\n", to: terminal)
        }
        writeText(prompt, to: terminal)
        return SecretBytes(capacity: byteLimit) { buffer in
            var count = 0
            while count < buffer.count, read(terminal, buffer.baseAddress?.advanced(by: count), 1) == 1 {
                guard buffer[count] != UInt8(ascii: "\n") else { break }
                count += 1
            }
            return count
        }
    }

    private static func writeText(_ text: String, to file: Int32) {
        _ = text.withCString { write(file, $0, strlen($0)) }
    }
}
