internal import CardCompanionAPI
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends JSON and reads JSON, within limits of time and size.
final class HTTPClient: Sendable {
    private let collector: AnswerCollector
    private let session: URLSession
    private let timeout: Duration

    init(timeout: Duration, maximumAnswerByteCount: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.timeoutIntervalForRequest = timeout / .seconds(1)
        collector = AnswerCollector(maximumByteCount: maximumAnswerByteCount)
        session = URLSession(configuration: configuration, delegate: collector, delegateQueue: nil)
        self.timeout = timeout
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

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

    /// Sends a GET.
    func get<Answer: Decodable>(_ url: URL) async throws(SDKError) -> Answer {
        try await answer(to: URLRequest(url: url))
    }

    /// Throws 90001 and 90006 where there is no answer, 90015 for a status other than 200, 90002 for no body, 90003
    /// for another body than an `Answer`.
    private func answer<Answer: Decodable>(to request: URLRequest) async throws(SDKError) -> Answer {
        var request = request
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let (status, body) = try await exchange(request)
        guard status == 200 else { throw SDKError(.serverNotOK, "HTTP status \(status)") }
        guard !body.isEmpty else { throw SDKError(.emptyAnswer, "no body") }
        guard let answer = try? JSONDecoder().decode(Answer.self, from: body) else {
            throw SDKError(.badAnswerFormat, "not the JSON of this operation's answer")
        }
        return answer
    }

    private func exchange(_ request: URLRequest) async throws(SDKError) -> (status: Int, body: Data) {
        let outcome = await withTaskGroup(of: Result<(status: Int, body: Data), SDKError>.self) { group in
            group.addTask { await self.outcome(of: request) }
            group.addTask { [timeout] in
                try? await Task.sleep(for: timeout)
                return .failure(SDKError(.requestFailed, "no whole answer in \(timeout)"))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(SDKError(.requestFailed, "not sent"))
        }
        return try outcome.get()
    }

    private func outcome(of request: URLRequest) async -> Result<(status: Int, body: Data), SDKError> {
        let task = session.dataTask(with: request)
        let chunks = collector.body(of: task)
        task.resume()
        var body = Data()
        do {
            for try await chunk in chunks { body += chunk }
        } catch {
            return .failure(Self.failure(error))
        }
        // A cancelled wait ends without an error, and so might a task that never was answered.
        guard !Task.isCancelled, let response = task.response as? HTTPURLResponse else {
            return .failure(SDKError(.requestFailed, "ended before it was answered"))
        }
        return .success((response.statusCode, body))
    }

    private static func failure(_ error: any Error) -> SDKError {
        switch (error as? URLError)?.code {
        case _ where error is AnswerCollector.TooLarge:
            SDKError(.badAnswerFormat, "the answer is too large")
        case .notConnectedToInternet?, .cannotFindHost?, .dnsLookupFailed?, .cannotConnectToHost?, .dataNotAllowed?,
            .internationalRoamingOff?, .callIsActive?:
            SDKError(.noNetwork, "the server cannot be reached")
        case let code:
            SDKError(.requestFailed, code.map { "URLError \($0.rawValue)" } ?? "not a URLError")
        }
    }
}
