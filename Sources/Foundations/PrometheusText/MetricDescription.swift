/// What a metric means, for the people who read it. Prometheus shows the help beside the values.
package struct MetricDescription: Sendable {
    package enum Kind: Sendable, Equatable {
        /// A number that only grows. Its name ends in `_total`.
        case counter
        /// A number that goes up and down.
        case gauge
        /// Durations, counted by their upper bounds in seconds, which rise. Its name ends in `_seconds`.
        case histogram(bounds: [Double])
    }

    package let name: String
    package let kind: Kind
    package let help: String
    /// The names of its labels, in the order in which they are written.
    package let labels: [String]
    /// How many series it can have, that is, different values of its labels. All further ones share the series whose labels
    /// have the value ``otherValue``.
    package let seriesLimit: Int

    /// The value of the labels of all series beyond the limit.
    package static let otherValue = "other"
    package static let usualSeriesLimit = 100

    /// - Parameters:
    ///   - name: as Prometheus allows it: letters, digits and underscores.
    ///   - labels: none may be named `le`, which is for histograms.
    package init(
        _ name: String, _ kind: Kind, labels: [String] = [], seriesLimit: Int = usualSeriesLimit, help: String
    ) {
        precondition(([name] + labels).allSatisfy(Self.isName), "\(name): a name is wrong")
        precondition(!labels.contains("le"), "\(name): a label is named le")
        if case .histogram(let bounds) = kind {
            precondition(zip(bounds, bounds.dropFirst()).allSatisfy(<), "\(name): the bounds do not rise")
        }
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
        self.seriesLimit = seriesLimit
    }

    private static func isName(_ name: String) -> Bool { name.wholeMatch(of: /[a-zA-Z_][a-zA-Z0-9_]*/) != nil }
}
