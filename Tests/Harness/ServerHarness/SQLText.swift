/// SQL expressions for tests that look at the database.
package enum SQLText {
    /// What is stored of a text that can be used only once.
    package static func spentDigest(_ text: String) -> String {
        "substr(sha256('\(text)'::bytea), 1, 16)"
    }
}
