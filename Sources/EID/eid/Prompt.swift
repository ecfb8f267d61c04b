import EIDInterface
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Reads what a cardholder types, without echo, byte by byte into wiped memory.
enum Prompt {
    /// No line is longer. What is longer is no PIN.
    private static let lineByteLimit = 256

    /// A PIN, CAN or PUK. It asks again until the number of digits is right.
    ///
    /// - Returns: nil if the cardholder ends it, with Ctrl-C, Ctrl-D or the end of the input.
    static func secret(_ prompt: String, _ kind: CardSecret.Kind) async -> CardSecret? {
        while let line = await line(prompt + ": ") {
            if let secret = line.withBytes({ CardSecret(ascii: $0) }), secret.fits(kind) { return secret }
            say("\(kind.requirement).\n")
        }
        return nil
    }

    /// Whether the cardholder says yes; nil if the cardholder ends it.
    static func isYes(_ prompt: String) async -> Bool? {
        guard let line = await line(prompt + " [y/N] ") else { return nil }
        return line.withBytes { $0.count == 1 && [UInt8(ascii: "y"), UInt8(ascii: "Y")].contains($0[0]) }
    }

    /// Waits for the cardholder; nil if the cardholder ends it.
    static func key(_ prompt: String) async -> Void? {
        await line(prompt) == nil ? nil : ()
    }

    /// A thread of its own waits for the keyboard.
    private static func line(_ prompt: String) async -> WipedBytes? {
        say(prompt)
        let line = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: withoutEcho(read)) }
        }
        say("\n")
        return line
    }

    private static func read() -> WipedBytes? {
        let line = WipedBytes()
        var byte: UInt8 = 0
        while true {
            guard readByte(&byte) else { return line.count > 0 ? line : nil }
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return line
            case 3, 4: return nil
            case 8, 127: line.removeLast()
            default: if line.count < lineByteLimit { line.append(byte) }
            }
        }
    }

    private static func readByte(_ byte: inout UInt8) -> Bool {
        #if canImport(Darwin)
            Darwin.read(0, &byte, 1) == 1
        #else
            Glibc.read(0, &byte, 1) == 1
        #endif
    }

    /// Turns echo and signals of the keyboard off: Ctrl-C is read as a byte, so that the terminal is restored after it.
    private static func withoutEcho<Result>(_ body: () -> Result) -> Result {
        var settings = termios()
        guard tcgetattr(0, &settings) == 0 else { return body() }
        let before = settings
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        tcsetattr(0, TCSAFLUSH, &settings)
        defer {
            var before = before
            tcsetattr(0, TCSAFLUSH, &before)
        }
        return body()
    }

    private static func say(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
