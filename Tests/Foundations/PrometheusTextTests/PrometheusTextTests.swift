import Metrics
import PrometheusText
import ServerHarness
import Testing

@Suite("Metrics as Prometheus text")
struct PrometheusTextTests {
    private let registry = PrometheusRegistry([
        MetricDescription("answers_total", .counter, labels: ["operation", "code"], seriesLimit: 2, help: "Answers."),
        MetricDescription("open_connections", .gauge, help: "Connections:\nthose \\ that are \"open\"."),
        MetricDescription("work_duration_seconds", .histogram(bounds: [0.001, 0.5, 2]), help: "Durations."),
    ])

    private func answers(_ operation: String, _ code: String) -> Counter {
        Counter(label: "answers_total", dimensions: [("code", code), ("operation", operation)], factory: registry)
    }

    /// The lines of a metric, without its help and type.
    private func lines(_ name: String) -> [Substring] {
        registry.text.split(separator: "\n").filter { $0.hasPrefix(name) }
    }

    @Test("Each metric has its help and its type, also without values, and texts are escaped")
    func helpAndType() {
        let escaped = #"Connections:\nthose \\ that are "open"."#
        #expect(
            registry.text == """
                # HELP answers_total Answers.
                # TYPE answers_total counter
                # HELP open_connections \(escaped)
                # TYPE open_connections gauge
                # HELP work_duration_seconds Durations.
                # TYPE work_duration_seconds histogram

                """)
        answers("a\"b\\c\nd", "é").increment()
        #expect(lines("answers_total") == [#"answers_total{operation="a\"b\\c\nd",code="é"} 1"#])
    }

    @Test("A counter has one series for each set of labels, in the order of the labels, and never goes back")
    func counter() {
        answers("fetch", "0").increment(by: 3)
        answers("fetch", "0").increment()
        answers("fetch", "0").increment(by: -2)
        answers("define", "0").increment()
        #expect(
            lines("answers_total") == [
                #"answers_total{operation="define",code="0"} 1"#, #"answers_total{operation="fetch",code="0"} 4"#,
            ])
    }

    @Test("Beyond the limit of series, all further ones are one series, which stays within the limit")
    func limit() {
        for operation in ["a", "b", "c", "d"] { answers(operation, "0").increment() }
        answers("other", "other").increment(by: 10)
        answers("a", "0").increment()
        #expect(
            lines("answers_total") == [
                #"answers_total{operation="a",code="0"} 2"#, #"answers_total{operation="b",code="0"} 1"#,
                #"answers_total{operation="other",code="other"} 12"#,
            ])
        let gone = answers("a", "0")
        gone.destroy()
        answers("e", "0").increment()
        #expect(lines("answers_total").first == #"answers_total{operation="b",code="0"} 1"#)
        #expect(lines("answers_total").contains(#"answers_total{operation="e",code="0"} 1"#))
        answers("f", "0").destroy()
        #expect(lines("answers_total").count == 3)
    }

    @Test("A gauge shows its last value; the numbers that are none have Prometheus' names")
    func gauge() {
        let gauge = Gauge(label: "open_connections", factory: registry)
        gauge.record(3)
        #expect(lines("open_connections") == ["open_connections 3"])
        for (value, text) in [
            (0.25, "0.25"), (-7, "-7"), (1e-9, "1e-09"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
            (1_795_888_631.5, "1795888631.5"),
        ] {
            gauge.record(value)
            #expect(lines("open_connections") == ["open_connections \(text)"])
        }
        let meter = Meter(label: "open_connections", factory: registry)
        meter.set(2)
        meter.increment(by: 1.5)
        meter.decrement()
        #expect(lines("open_connections") == ["open_connections 2.5"])
    }

    @Test("A histogram counts durations by their upper bounds: each bucket has all that are not longer")
    func histogram() {
        let timer = Timer(label: "work_duration_seconds", factory: registry)
        for nanoseconds: Int64 in [500_000, 1_000_000, 1_000_001, 3_000_000_000] {
            timer.recordNanoseconds(nanoseconds)
        }
        #expect(
            lines("work_duration_seconds") == [
                #"work_duration_seconds_bucket{le="0.001"} 2"#, #"work_duration_seconds_bucket{le="0.5"} 3"#,
                #"work_duration_seconds_bucket{le="2"} 3"#, #"work_duration_seconds_bucket{le="+Inf"} 4"#,
                "work_duration_seconds_sum 3.002500001", "work_duration_seconds_count 4",
            ])
    }

    @Test("Values of metrics that are not described, or that have other labels or another type, are dropped")
    func undescribed() {
        let before = registry.text
        Counter(label: "unknown_total", factory: registry).increment()
        Counter(label: "answers_total", factory: registry).increment()
        Counter(label: "answers_total", dimensions: [("operation", "a"), ("codes", "0")], factory: registry)
            .increment()
        Recorder(label: "open_connections", factory: registry).record(1)
        #expect(registry.text == before)
    }

    @Test("No count is lost, however many threads count at once")
    func concurrency() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for index in 0..<1000 {
                        answers("fetch", "\(index % 2)").increment()
                        Timer(label: "work_duration_seconds", factory: registry).recordNanoseconds(1)
                        Meter(label: "open_connections", factory: registry).increment()
                    }
                }
            }
        }
        #expect(lines("answers_total").map { $0.hasSuffix(" 4000") } == [true, true])
        #expect(lines("work_duration_seconds_count") == ["work_duration_seconds_count 8000"])
        #expect(lines("open_connections") == ["open_connections 8000"])
    }

    @Test("promtool accepts the text")
    func promtool() async throws {
        answers("a\"b\\c\nd", "0").increment()
        Gauge(label: "open_connections", factory: registry).record(Double.nan)
        Timer(label: "work_duration_seconds", factory: registry).recordNanoseconds(7)
        let checked = try await TestCommand.run("promtool", ["check", "metrics"], stdin: registry.text)
        #expect(checked.status == 0, "\(checked.stderr)")
        let broken = try await TestCommand.run("promtool", ["check", "metrics"], stdin: registry.text + "\"\n")
        #expect(broken.status != 0)
    }
}
