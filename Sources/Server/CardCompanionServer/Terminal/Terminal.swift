package import Administration
internal import Foundation
internal import Glibc
package import SecureMemory

/// Output of commands, and prompts.
package enum Terminal {
    /// Writes text for people, or JSON for scripts.
    package static func show(_ text: String, json value: some Encodable, asJSON: Bool) throws {
        try show(asJSON ? encode(value) : text)
    }

    /// Writes a line to standard output.
    ///
    /// - Throws: ``CommandError`` if it cannot be written.
    package static func show(_ line: String) throws(CommandError) { try StandardStream.output(line) }

    static func complain(_ error: CommandError) {
        note("card-companion: \(error.message)")
    }

    /// Writes a line to standard error.
    package static func note(_ line: String) {
        StandardStream.note(line)
    }

    /// A value as one line of JSON.
    package static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Asks for a secret on the terminal, without echo.
    ///
    /// - Throws: ``CommandError`` if there is no terminal.
    package static func askSecret(_ prompt: String, byteLimit: Int) throws -> SecretBytes {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else {
            throw CommandError.badInput(
                "there is no terminal for the prompt: run the command at one, or name a file if its --help has an option for it"
            )
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
