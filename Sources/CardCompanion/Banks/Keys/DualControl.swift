/// Which steps need a second operator, and who counts as one.
enum DualControl {
    /// Refuses an operator who would approve what they have begun.
    static func requireAnotherOperator(than first: String, _ second: String) throws(KeyImportRefusal) {
        guard !second.isEmpty, first != second else { throw .sameOperator }
    }
}
