internal import CardCompanionAPI
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends and reads JSON, with a timeout and a size limit. If the server has too much to do, it sends the same bytes again.
struct HTTPClient: Sendable {
    private typealias Exchange = OverloadRetry.Answer
    private typealias Outcome = Result<Exchange, SDKError>

    let timeoutSeconds: Double
    let maximumAnswerByteCount: Int
    let wait: RetryWait

    /// Sends a POST with a JSON body.
    func post<Answer: Decodable>(_ body: some Encodable, to url: URL) async throws(SDKError) -> Answer {
        guard let encoded = try? JSONEncoder().encode(body) else {
            throw SDKError(.invalidInput, "the parameters cannot be encoded")
        }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = encoded
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return try await answer(to: request)
    }

    func get<Answer: Decodable>(_ url: URL) async throws(SDKError) -> Answer {
        try await answer(to: URLRequest(url: url))
    }

    /// - Throws: 90001 or 90006 if there is no answer, 90015 if the status is not 200, 90002 if the body is empty,
    ///   90003 if the body is not an `Answer` or is too large.
    private func answer<Answer: Decodable>(to request: URLRequest) async throws(SDKError) -> Answer {
        var request = request
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let exchange = try await lastExchange(request)
        guard exchange.status == 200 else {
            throw SDKError(
                .serverNotOK, "HTTP status \(exchange.status)", retryAfterSeconds: Self.retryAfterSeconds(exchange))
        }
        guard !exchange.body.isEmpty else { throw SDKError(.emptyAnswer, "the answer has no body") }
        guard let answer = try? JSONDecoder().decode(Answer.self, from: exchange.body) else {
            throw SDKError(.badAnswerFormat, "the answer is not the JSON of this operation")
        }
        return answer
    }

    /// Sends the request, and again as often as ``OverloadRetry`` says. The timeout counts for each time.
    ///
    /// - Throws: 90006 if the task is cancelled while it waits.
    private func lastExchange(_ request: URLRequest) async throws(SDKError) -> Exchange {
        var sendCount = 1
        while true {
            let exchange = try await exchange(request)
            guard let seconds = OverloadRetry.secondsToWait(after: exchange, sendCount: sendCount) else {
                return exchange
            }
            do {
                try await wait.sleep(Double(seconds) * wait.factor(OverloadRetry.factors))
            } catch {
                throw SDKError(.requestFailed, "cancelled before the request was sent again")
            }
            sendCount += 1
        }
    }

    private func exchange(_ request: URLRequest) async throws(SDKError) -> Exchange {
        let first = await withTaskGroup(of: Outcome.self) { group in
            group.addTask { await outcome(of: request) }
            group.addTask {
                // 'Task.sleep(for:)' needs iOS 16.
                try? await Task.sleep(nanoseconds: UInt64(max(0, timeoutSeconds) * 1e9))
                return .failure(SDKError(.requestFailed, "no complete answer within \(timeoutSeconds) seconds"))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(SDKError(.requestFailed, "the request was not sent"))
        }
        return try first.get()
    }

    /// Each exchange uses a new connection: if the server has closed a connection that `URLSession` reuses,
    /// `URLSession` on Linux neither resends the body nor fails, but spins until the timeout.
    private func outcome(of request: URLRequest) async -> Outcome {
        let collector = AnswerCollector(maximumByteCount: maximumAnswerByteCount)
        let session = URLSession(configuration: sessionConfiguration, delegate: collector, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let task = session.dataTask(with: request)
        task.resume()
        var body = Data()
        do {
            for try await chunk in collector.chunks { body += chunk }
        } catch {
            return .failure(Self.failure(error))
        }
        // If the task was cancelled, the stream ends without an error.
        guard !Task.isCancelled, let response = task.response as? HTTPURLResponse else {
            return .failure(SDKError(.requestFailed, "closed or cancelled before the answer"))
        }
        return .success(
            Exchange(
                status: response.statusCode, contentType: response.value(forHTTPHeaderField: "Content-Type"),
                retryAfter: response.value(forHTTPHeaderField: "Retry-After"), body: body))
    }

    /// The seconds of `Retry-After` (RFC 9110 section 10.2.3). Nil for its other form, a date: the server does not send it,
    /// and the device's clock may be wrong.
    private static func retryAfterSeconds(_ exchange: Exchange) -> Int? {
        guard [429, 503].contains(exchange.status), let text = exchange.retryAfter,
            text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        return Int(text)
    }

    private var sessionConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.timeoutIntervalForRequest = timeoutSeconds
        return configuration
    }

    private static func failure(_ error: any Error) -> SDKError {
        if error is AnswerCollector.TooLarge { return SDKError(.badAnswerFormat, "the answer is too large") }
        guard let error = error as? URLError else { return SDKError(.requestFailed, "unexpected error") }
        switch error.code {
        case .notConnectedToInternet, .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .dataNotAllowed,
            .internationalRoamingOff, .callIsActive:
            return SDKError(.noNetwork, "cannot connect to the server")
        default:
            return SDKError(.requestFailed, "URLError \(error.code.rawValue)")
        }
    }
}
