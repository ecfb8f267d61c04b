import Testing

@testable import PINImages

@Suite struct TypefaceTests {
    private static let cell = rectangle(left: 0, top: 0, right: 60, bottom: 100)

    @Test func `a shape knows how deep each point is inside it`() throws {
        let typeface = try #require(Self.typeface(first: [Self.cell]))
        #expect(abs(typeface.cellWidth - 0.6) < 1e-9)
        // In heights of the cell. The edges are at x = ±0.3 and y = ±0.5.
        #expect(abs(Self.depth(typeface, x: 0.25, y: 0) - 0.05) < 0.003)
        #expect(abs(Self.depth(typeface, x: 0.3, y: 0.2)) < 0.003)
        #expect(abs(Self.depth(typeface, x: 0.35, y: 0) + 0.05) < 0.003)
        #expect(abs(Self.depth(typeface, x: 0, y: -0.55) + 0.05) < 0.003)
    }

    @Test func `a contour in the other direction is a hole`() throws {
        let hole = Array(Self.rectangle(left: 20, top: 40, right: 40, bottom: 60).reversed())
        let typeface = try #require(Self.typeface(first: [Self.cell, hole]))
        #expect(Self.depth(typeface, x: 0, y: 0) < 0)
        #expect(Self.depth(typeface, x: 0.2, y: 0) > 0)
    }

    @Test func `every point far from the cell is outside`() throws {
        let typeface = try #require(Self.typeface(first: [Self.cell]))
        for (x, y) in [(9.0, 0.0), (-9, 0), (0, 9), (0, -9), (1e9, -1e9)] {
            #expect(Self.depth(typeface, x: x, y: y) < -0.1)
        }
    }

    @Test func `ten different outlines that are not empty are a typeface`() {
        #expect(Typeface(outlines: Array(repeating: [Self.cell], count: 10)) == nil)
        #expect(Typeface(outlines: []) == nil)
        #expect(Self.typeface(first: []) == nil)
    }

    @Test func `the installed font has ten different digits`() throws {
        let typeface = try Typeface.installed()
        #expect((0.5...1).contains(typeface.cellWidth))
    }

    /// A typeface whose digit 0 has the outline `first`. The others are smaller.
    private static func typeface(first: [Typeface.Contour]) -> Typeface? {
        Typeface(outlines: [first] + (1...9).map { [rectangle(left: 5, top: 5, right: 10 + Double($0), bottom: 50)] })
    }

    private static func depth(_ typeface: Typeface, x: Double, y: Double) -> Double {
        typeface.withShape(of: 0) { shape in
            let point = shape.gridPoint(Point(x: x, y: y))
            return Double(shape.depth(x: point.x, y: point.y))
        }
    }

    private static func rectangle(left: Double, top: Double, right: Double, bottom: Double) -> Typeface.Contour {
        [Point(x: left, y: top), Point(x: left, y: bottom), Point(x: right, y: bottom), Point(x: right, y: top)]
    }
}
