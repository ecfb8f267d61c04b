import PythonOracle
import Testing

// Apple's compiler is not here: its header is written down by a script, and clang checks calls with it.
@Suite(
    "Objective-C", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct ObjectiveCTests {
    @Test(
        "ObjectiveC/CardCompanionSDK.h is what the sources give, has all names of the document, and clang takes its calls"
    )
    func surface() async throws {
        let answers = try await PythonOracle(script: "ObjectiveC/surface.py").ask("check")
        #expect(answers == ["header": "ok", "samples": "ok", "names": "ok"])
    }
}
