/// What a bank expects of a document.
package enum IdentityExpectation: String, CaseIterable, Codable, Sendable {
    /// A document, by its issuing state and number.
    case document
    /// A person, by name and date of birth.
    case person
}
