import Administration
import CardCompanionServer
import DualControl

extension Change {
    /// Makes the change, or proposes it if another operator must approve it, and says so.
    func run(_ options: some SettingOptions, _ signer: OperatorOptions, _ output: OutputOptions) async throws {
        let shown = try await Installation.run(options) { try await $0.make(self, signing: signer) }
        try shown.show(output)
    }
}

extension Shown {
    func show(_ output: OutputOptions) throws {
        try Terminal.show(text, json: json, asJSON: output.json)
    }
}
