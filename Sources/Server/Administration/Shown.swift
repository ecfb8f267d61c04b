/// What a command shows at its end.
package struct Shown: Sendable {
    /// For people.
    package let text: String
    /// For scripts.
    package let json: any Encodable & Sendable

    package init(text: String, json: any Encodable & Sendable) {
        self.text = text
        self.json = json
    }
}
