internal import CardCompanionModel

/// The ETag of a cardholder: the version of the row, and the bank's limits, because GET says by them whether the cardholder is
/// locked.
struct CardholderETag: Equatable {
    let version: Int64
    let retryLimit: Int
    let fetchLimit: Int

    init(version: Int64, _ settings: BankSettings) {
        self.version = version
        retryLimit = settings.retryLimit
        fetchLimit = settings.fetchLimit
    }

    /// - Parameter text: an If-Match. One of version 0.2.0 has no limits: then they are taken for the present ones.
    /// - Returns: nil if it was never given.
    init?(_ text: String, _ settings: BankSettings) {
        guard text.count > 2, text.first == "\"", text.last == "\"" else { return nil }
        let parts = text.dropFirst().dropLast().split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int64($0) }
        guard numbers.count == parts.count, numbers.count == 1 || numbers.count == 3 else { return nil }
        version = numbers[0]
        retryLimit = numbers.count == 3 ? Int(numbers[1]) : settings.retryLimit
        fetchLimit = numbers.count == 3 ? Int(numbers[2]) : settings.fetchLimit
        guard text == self.text || text == "\"\(version)\"" else { return nil }
    }

    var text: String { "\"\(version)-\(retryLimit)-\(fetchLimit)\"" }
}
