internal import VirtualEIDCard

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A connection to vpcd, the virtual reader of pcscd: while it is open, the card lies on the reader. Messages are two bytes of
/// length, big-endian, and a command for the card or for its power.
final class VPCDConnection {
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private enum Control {
        static let off: [UInt8] = [0]
        static let on: [UInt8] = [1]
        static let reset: [UInt8] = [2]
        static let answerToReset: [UInt8] = [4]
    }

    let descriptor: Int32

    /// Connects to vpcd on this machine.
    init(port: UInt16) throws(Fault) {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw Fault(description: "there is no vpcd on port \(port)")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Answers one message of the reader.
    ///
    /// - Returns: the command and the answer, if it was one for the card.
    /// - Throws: `Fault` if the reader has gone.
    func serve(_ card: inout VirtualCard) throws(Fault) -> (command: [UInt8], answer: [UInt8])? {
        let header = try read(2)
        let message = try read(Int(header[0]) << 8 | Int(header[1]))
        switch message {
        case Control.off, Control.on, Control.reset: card.reset()
        case Control.answerToReset: try send(VirtualCard.answerToReset)
        default:
            let answer = card.respond(to: message)
            try send(answer)
            return (message, answer)
        }
        return nil
    }

    private func read(_ count: Int) throws(Fault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var place = 0
        while place < count {
            let got = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress.map { $0 + place }, count - place, 0)
            }
            guard got > 0 else { throw Fault(description: "the reader has gone") }
            place += got
        }
        return bytes
    }

    private func send(_ bytes: [UInt8]) throws(Fault) {
        let message = [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
        // A few hundred bytes fit into an empty buffer of the kernel at once.
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        guard message.withUnsafeBytes({ Self.write(descriptor, $0.baseAddress, $0.count, flags) }) == message.count
        else { throw Fault(description: "the reader has gone") }
    }

    private static func write(
        _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32
    ) -> Int {
        #if canImport(Glibc)
            Glibc.send(descriptor, bytes, count, flags)
        #else
            Darwin.send(descriptor, bytes, count, flags)
        #endif
    }
}
