import CardCompanionModel
import Testing

@testable import CardCompanionForwarding

@Suite("Conversation with a bank's program")
struct ConversationTests {
    private let start = ContinuousClock.now

    /// An event's id for a short name.
    private func id(_ name: String) -> String { name + String(repeating: "A", count: 22 - name.count) }

    private func pin(_ event: String, attempt: Int = 1) -> ForwardedPIN {
        ForwardedPIN(
            uniqueId: "4711", event: id(event), definedAt: Timestamp(seconds: 1_764_277_200), stage: .pending,
            attempt: attempt)
    }

    private func answer(_ event: String, _ state: String, _ more: String = "") throws -> ProgramAnswer {
        try ProgramAnswer(#"{"event":"\#(id(event))","uniqueId":"4711","state":"\#(state)"\#(more)}"#)
    }

    @Test("The program has no more PINs at once than it may, and answers make room")
    func room() throws {
        var random = SystemRandomNumberGenerator()
        var conversation = Conversation(limit: 2, answerLimit: .seconds(5))
        #expect(conversation.room == 2 && !conversation.isWaiting)
        conversation.begin(pin("a"), at: start)
        conversation.begin(pin("b"), at: start)
        #expect(conversation.room == 0 && conversation.isWaiting)
        let (report, wasAsked) = conversation.end(with: try answer("b", "effective"), using: &random)
        #expect(wasAsked && report == ForwardedPINReport(uniqueId: "4711", event: id("b"), stage: .effective))
        #expect(conversation.room == 1)
    }

    @Test("The oldest question that is not answered in time is named")
    func overdue() throws {
        var random = SystemRandomNumberGenerator()
        var conversation = Conversation(limit: 8, answerLimit: .seconds(5))
        conversation.begin(pin("late"), at: start)
        conversation.begin(pin("later"), at: start + .seconds(1))
        #expect(conversation.overdue(at: start + .milliseconds(4999)) == nil)
        #expect(conversation.overdue(at: start + .seconds(5)) == id("late"))
        #expect(conversation.overdue(at: start + .seconds(60)) == id("late"))
        _ = conversation.end(with: try answer("late", "sent"), using: &random)
        #expect(conversation.overdue(at: start + .seconds(5)) == nil)
        #expect(conversation.overdue(at: start + .seconds(6)) == id("later"))
    }

    @Test("A PIN that is put off without a time waits longer with each attempt, up to an hour")
    func putOff() throws {
        var random = SystemRandomNumberGenerator()
        for (attempt, range) in [(1, 4...6), (2, 8...12), (4, 32...48), (40, 2880...4320)] {
            var conversation = Conversation(limit: 8, answerLimit: .seconds(5))
            conversation.begin(pin("a", attempt: attempt), at: start)
            let report = conversation.end(with: try answer("a", "pending"), using: &random).report
            #expect(report.stage == .pending && range.contains(report.afterSeconds ?? 0), "\(report)")
        }
        var conversation = Conversation(limit: 8, answerLimit: .seconds(5))
        conversation.begin(pin("a", attempt: 9), at: start)
        let report = conversation.end(with: try answer("a", "pending", #","afterSeconds":7"#), using: &random).report
        #expect(report.afterSeconds == 7)
    }

    @Test("What a program that has ended did not answer is put off, and nothing else is")
    func abandoned() throws {
        var random = SystemRandomNumberGenerator()
        var conversation = Conversation(limit: 8, answerLimit: .seconds(5))
        for event in ["a", "b", "c"] { conversation.begin(pin(event), at: start) }
        _ = conversation.end(with: try answer("b", "effective"), using: &random)
        let reports = conversation.abandon(using: &random)
        #expect(reports.map(\.event).sorted() == [id("a"), id("c")])
        #expect(reports.allSatisfy { $0.stage == .pending && (4...6).contains($0.afterSeconds ?? 0) })
        #expect(!conversation.isWaiting)
    }

    @Test("The program can answer again later")
    func late() throws {
        var random = SystemRandomNumberGenerator()
        var conversation = Conversation(limit: 1, answerLimit: .seconds(5))
        let (report, wasAsked) = conversation.end(with: try answer("a", "effective"), using: &random)
        #expect(report.stage == .effective && !wasAsked)
        #expect(conversation.room == 1)
    }

    @Test("A host that has the PIN and does not use it yet is asked again, after an hour if it does not say when")
    func sentAgain() throws {
        var random = SystemRandomNumberGenerator()
        var conversation = Conversation(limit: 1, answerLimit: .seconds(5))
        #expect(conversation.end(with: try answer("a", "sent"), using: &random).report.afterSeconds == 3600)
        let later = try answer("a", "sent", #","afterSeconds":9"#)
        #expect(conversation.end(with: later, using: &random).report.afterSeconds == 9)
    }

    @Test("A program that goes on saying what nobody asked and what is known is stopped")
    func idle() throws {
        var conversation = Conversation(limit: 1, answerLimit: .seconds(5))
        // What is of use, or was asked, begins the count anew.
        for outcome in [ForwardedPINOutcome.unchanged, .reported] {
            for _ in 0..<100 { try conversation.note(.otherPIN, wasAsked: false) }
            try conversation.note(outcome, wasAsked: outcome == .unchanged)
        }
        for outcome in [nil, ForwardedPINOutcome.unchanged] {
            for _ in 0..<50 { try conversation.note(outcome, wasAsked: false) }
        }
        #expect(throws: ProgramProblem.tooManyAnswers) { try conversation.note(.unchanged, wasAsked: false) }
    }
}
