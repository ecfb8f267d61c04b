internal import EMRTD
internal import Metrics

/// Counts verified documents, and the results that were posted.
struct IdentityMetrics: Sendable {
    private let passedCounter = Self.verifications("passed")
    private let failedCounter = Self.verifications("failed")
    private let unfinishedCounter = Self.verifications("unfinished")
    private let postedCounter = Self.results("accepted")
    private let notPostedCounter = Self.results("failed")

    /// Counters begin at zero, because Prometheus cannot see the increase of one that begins at one.
    init() {
        for counter in [passedCounter, failedCounter, unfinishedCounter, postedCounter, notPostedCounter] {
            counter.increment(by: 0)
        }
    }

    func verified(_ found: DocumentVerification) {
        let isUnfinished = found.refusals.contains(.readingNotFinished)
        (found.passed ? passedCounter : isUnfinished ? unfinishedCounter : failedCounter).increment()
    }

    func posted() { postedCounter.increment() }
    func notPosted() { notPostedCounter.increment() }

    private static func verifications(_ outcome: String) -> Counter {
        Counter(label: "card_companion_document_verifications_total", dimensions: [("outcome", outcome)])
    }

    private static func results(_ outcome: String) -> Counter {
        Counter(label: "card_companion_document_results_total", dimensions: [("outcome", outcome)])
    }
}
