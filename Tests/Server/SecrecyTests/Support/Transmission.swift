import ServerHarness

extension Arrival {
    /// The pieces to send, with a pause between them.
    func pieces(_ body: [UInt8], code: String) -> [[UInt8]] {
        switch self {
        case .byteByByte: byteByByte(head(length: body.count) + body, code)
        case .cutInTheCode:
            [head(length: body.count) + body.prefix(cut(body, code)), Array(body.dropFirst(cut(body, code)))]
        case .chunked: [head(length: nil), chunk(body.prefix(100)) + chunk(body.dropFirst(100)) + chunk([])]
        case .tooLongInChunks: [head(length: nil), chunk(body[...]) + chunk(Self.padding[...]) + chunk([])]
        case .tooLong: [head(length: body.count + Self.padding.count) + body, Self.padding]
        case .pipelined: [Array("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n".utf8) + head(length: body.count) + body]
        case .notJSON: [head(length: body.count) + body.dropLast() + [0x21]]
        case .neverFinished: [head(length: body.count) + body.dropLast(20)]
        default: [head(length: body.count) + body]
        }
    }

    /// The number of responses before the server closes or waits for more.
    var answerCount: Int {
        switch self {
        case .pipelined: 2
        case .neverFinished: 0
        default: 1
        }
    }

    private static let padding = [UInt8](repeating: 0x20, count: 70_000)

    private func head(length: Int?) -> [UInt8] {
        let method = self == .withAnotherMethod ? "PUT" : "POST"
        let path =
            switch self {
            case .toNowhere: "/v1/nowhere"
            case .inAToken: Path.tokenCaptcha
            default: Path.captcha
            }
        let type = self == .asAnotherType ? "text/plain" : "application/json"
        let framing = length.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked"
        let closing = self == .onAConnectionThatStaysOpen ? "" : "Connection: close\r\n"
        return Array(
            "\(method) \(path) HTTP/1.1\r\nHost: x\r\nContent-Type: \(type)\r\n\(closing)\(framing)\r\n\r\n".utf8)
    }

    private func cut(_ body: [UInt8], _ code: String) -> Int {
        (body.firstRange(of: Array(code.utf8))?.lowerBound ?? 0) + code.utf8.count / 2
    }

    /// The bytes around the code, one by one. If all were, a busy machine would take longer than the server waits.
    private func byteByByte(_ request: [UInt8], _ code: String) -> [[UInt8]] {
        let start = cut(request, code) - 30
        let (single, rest) = (request.dropFirst(start).prefix(60), request.dropFirst(start + 60))
        return [Array(request.prefix(start))] + single.map { [$0] } + [Array(rest)]
    }

    private func chunk(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
    }
}

extension RawConnection {
    /// Sends a request and reads the responses.
    mutating func bring(_ body: [UInt8], code: String, _ arrival: Arrival) async throws -> [RawAnswer] {
        let pieces = arrival.pieces(body, code: code)
        for (index, piece) in pieces.enumerated() {
            if index > 0, pieces.count < 10 { try await Task.sleep(for: .milliseconds(100)) }
            try await send(piece)
        }
        if arrival == .neverFinished { try await Task.sleep(for: .milliseconds(200)) }
        var answers: [RawAnswer] = []
        while answers.count < arrival.answerCount, let answer = try await receiveAnswer() { answers.append(answer) }
        return answers
    }
}
