import Testing

@testable import CardCompanion

@Suite("Pace of an import")
struct ImportPaceTests {
    @Test("While the database is fast, an import writes 500 lines at once and does not rest")
    func fast() {
        var pace = ImportPace()
        #expect(pace.lines == 500)
        #expect(pace.wrote(in: .milliseconds(400)) == .zero)
        #expect(pace.wrote(in: .milliseconds(100)) == .zero)
        #expect(pace.lines == 500)
    }

    @Test("If the database is slow, an import writes fewer lines and rests, and is fast again when the database is")
    func slow() {
        var pace = ImportPace()
        #expect(pace.wrote(in: .milliseconds(900)) == .milliseconds(400))
        #expect(pace.lines == 250)
        for _ in 0..<10 { #expect(pace.wrote(in: .seconds(10)) == .seconds(2)) }
        #expect(pace.lines == 20)
        #expect(pace.wrote(in: .milliseconds(300)) == .zero)
        #expect(pace.lines == 20, "that is neither slow nor fast")
        for _ in 0..<5 { _ = pace.wrote(in: .milliseconds(100)) }
        #expect(pace.lines == 500)
    }
}
