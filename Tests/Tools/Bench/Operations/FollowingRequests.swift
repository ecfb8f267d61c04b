import ServerHarness

/// Requests that need answers of the server. Those are fetched while the requests are prepared.
extension Operation {
    func followingRequests(_ numbers: Range<Int>, of service: BenchService) async throws -> RequestBatch {
        switch self {
        case .notifyByToken: try await tokenNotifies(numbers, of: service)
        case .notifyByCode: try await codeNotifies(numbers, of: service)
        default: try await indexes(numbers, of: service)
        }
    }

    /// A fetch by token, and then its notify.
    private func tokenNotifies(_ numbers: Range<Int>, of service: BenchService) async throws -> RequestBatch {
        let (bank, app) = (service.bank, service.app)
        let tokens = numbers.map { bank.token(for: service.cardholder($0)) }
        let fetches = try await batch(of: tokens.indices) {
            $0.post(Path.tokenCaptcha, try app.tokenCaptcha(bank, tokens[$1]))
        }
        let answers = try service.answers(to: fetches)
        return try await batch(of: tokens.indices) { batch, index in
            let notify = try app.open(answers[index]).tokenNotify(
                bank, service.cardholder(numbers.lowerBound + index), token: tokens[index])
            batch.post(Path.tokenNotify, notify)
        }
    }

    /// A fetch by authentication code, and then its notify.
    private func codeNotifies(_ numbers: Range<Int>, of service: BenchService) async throws -> RequestBatch {
        let answers = try service.answers(to: try await Operation.fetchByCode.requests(numbers, of: service))
        return try await batch(of: answers.indices) { batch, index in
            let holder = service.cardholder(numbers.lowerBound + index)
            batch.post(Path.notify, try service.app.open(answers[index]).notify(service.bank, holder))
        }
    }

    /// A keypad, and then a definition with it.
    private func indexes(_ numbers: Range<Int>, of service: BenchService) async throws -> RequestBatch {
        let answers = try service.answers(to: try await Operation.keypad.requests(numbers, of: service))
        let (bank, digits) = (service.bank, "8305")
        return try await batch(of: answers.indices) { batch, index in
            let token = bank.token(for: service.cardholder(numbers.lowerBound + index), type: "02")
            let id = answers[index].members["keypadId"]?.string ?? ""
            let places = (answers[index].members["keypad"]?.array ?? []).map(\.string)
            let text = digits.compactMap { places.firstIndex(of: String($0)) }.map(String.init).joined(separator: ",")
            let binding = SealedBinding("indexes", for: token, keypadId: id)
            batch.post(
                "/v1/pin-definition/token/pin-indexes",
                [
                    "token": .string(token.text), "signature": .string(try bank.signer.signature(of: token.text)),
                    "keypadId": .string(id), "indexes": .string(try service.ecKey.seal(Array(text.utf8), binding)),
                ])
        }
    }

    /// Requests of all operations of the mix, in turn.
    static func mixedRequests(_ numbers: Range<Int>, of service: BenchService) async throws -> RequestBatch {
        let total = shares.map(\.count).reduce(0, +)
        let rounds = (numbers.count + total - 1) / total
        var parts: [(requests: RequestBatch, count: Int)] = []
        for (operation, count) in shares {
            let first = numbers.lowerBound + parts.map { $0.count * rounds }.reduce(0, +)
            parts.append((try await operation.requests(first..<(first + count * rounds), of: service), count))
        }
        var mixed = RequestBatch()
        for round in 0..<rounds {
            for (requests, count) in parts { mixed.append(requests, (round * count)..<((round + 1) * count)) }
        }
        return mixed
    }
}

extension BenchService {
    /// Sends requests, and returns the answers in the order of the requests.
    func answers(to requests: RequestBatch) throws -> [HTTPAnswer] {
        var generator = generator(8)
        generator.keepsAnswers = true
        let result = try generator.run(requests, .asFastAsPossible(seconds: .infinity))
        guard result.failures == 0 else { throw LoadFailed(description: result.unexpected ?? "") }
        return try result.answers.sorted { $0.request < $1.request }.map { try HTTPAnswer(whole: $0.bytes) }
    }
}

extension HTTPAnswer {
    /// From the bytes of an answer with Content-Length. Only the body is read.
    fileprivate init(whole bytes: [UInt8]) throws {
        let start = bytes.withUnsafeBytes { $0.end(of: Array("\r\n\r\n".utf8)) }
        self.init(status: 200, headers: [], body: Array(bytes[(start ?? bytes.count)...]))
    }
}
