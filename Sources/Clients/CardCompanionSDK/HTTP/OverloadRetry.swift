internal import Foundation

/// Decides whether a request is sent again because the server had too much to do.
///
/// The server says so with status 503 and a problem of its own type. It has then used nothing of the request: no token, hashMac,
/// nonce or attempt. So the same bytes can be sent again. Any other 503 does not promise that, and is never retried.
enum OverloadRetry {
    /// What counts of an answer.
    struct Answer: Sendable {
        let status: Int
        let contentType: String?
        let retryAfter: String?
        let body: Data
    }

    /// How often a request is sent at most.
    static let maximumSendCount = 3
    /// The time to wait is multiplied by a random number of this range, so that clients do not come back all at once.
    static let factors = 0.5...1.5

    private static let seconds = 1...5
    private static let problemType = "urn:card-companion:problem:overloaded"

    private struct Problem: Decodable {
        let type: String
    }

    /// After how many seconds the same bytes are sent again, before the random factor; nil if the answer is for the caller.
    static func secondsToWait(after answer: Answer, sendCount: Int) -> Int? {
        guard sendCount < maximumSendCount, saysOverloaded(answer) else { return nil }
        return seconds(answer.retryAfter)
    }

    private static func saysOverloaded(_ answer: Answer) -> Bool {
        let mediaType = answer.contentType?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        guard answer.status == 503, mediaType == "application/problem+json" else { return false }
        return (try? JSONDecoder().decode(Problem.self, from: answer.body))?.type == problemType
    }

    private static func seconds(_ retryAfter: String?) -> Int {
        let text = (retryAfter ?? "").trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return seconds.lowerBound
        }
        // Digits that are no Int are a larger number.
        return min(max(Int(text) ?? seconds.upperBound, seconds.lowerBound), seconds.upperBound)
    }
}

/// Waits before a request is sent again. Tests replace it.
struct RetryWait: Sendable {
    /// A random number of the range.
    var factor: @Sendable (ClosedRange<Double>) -> Double
    /// Waits for some seconds. It throws if the task is cancelled.
    var sleep: @Sendable (Double) async throws -> Void

    // 'Task.sleep(for:)' needs iOS 16.
    static let real = RetryWait(
        factor: { Double.random(in: $0) }, sleep: { try await Task.sleep(nanoseconds: UInt64($0 * 1e9)) })
}
