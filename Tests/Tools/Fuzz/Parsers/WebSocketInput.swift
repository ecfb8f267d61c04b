import SecureMemory

@testable import CardCompanionHTTP

/// The frames of a client of a WebSocket. What they say does not depend on how they come.
enum WebSocketInput {
    private static let byteLimit = 1_000

    static func read(_ bytes: [UInt8]) {
        require(messages(bytes, atOnce: bytes.count) == messages(bytes, atOnce: 1), "a frame depends on how it comes")
    }

    /// The messages, and the failure that ends them.
    private static func messages(_ bytes: [UInt8], atOnce count: Int) -> [String] {
        var reader = WebSocketReader(textByteLimit: byteLimit, binaryByteLimit: 2 * byteLimit)
        var (found, bytes) = ([String](), bytes)
        bytes.withUnsafeMutableBytes { all in
            do throws(WebSocketReader.Failure) {
                for start in stride(from: 0, to: all.count, by: max(count, 1)) {
                    var rest = all[start..<min(start + count, all.count)]
                    while let message = try reader.next(&rest) { found.append(describe(message)) }
                    require(rest.isEmpty, "bytes are left")
                }
            } catch {
                found.append("\(error)")
            }
        }
        return found
    }

    private static func describe(_ message: consuming WebSocketReader.Message) -> String {
        switch consume message {
        case .text(let text):
            require(text.count <= byteLimit, "a text is too long")
            require(text.withBytes { String(validating: $0, as: UTF8.self) } != nil, "a text is not UTF-8")
            return "text \(text.withBytes { Array($0) })"
        case .binary(let content):
            require(content.count <= 2 * byteLimit, "a binary message is too long")
            return "binary \(content.withBytes { Array($0) })"
        case .ping(let content): return "ping \(content)"
        case .pong: return "pong"
        case .close(let code, let reason): return "close \(code ?? 0) \(reason)"
        }
    }
}
