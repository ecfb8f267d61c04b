/// What is wrong with a file, a certificate or a list. It says what and where, and nothing about a person.
package struct FormatError: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// The same, found in a part of something.
    func inside(_ place: String) -> FormatError {
        FormatError("\(place): \(description)")
    }
}

/// Runs `body`, and says in its error where it was.
func parsing<Value>(_ place: String, _ body: () throws(FormatError) -> Value) throws(FormatError) -> Value {
    do {
        return try body()
    } catch {
        throw error.inside(place)
    }
}
