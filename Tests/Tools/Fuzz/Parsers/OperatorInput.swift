import CardCompanion

/// What two operators sign, and the list of them.
enum OperatorInput {
    static func read(_ bytes: [UInt8]) {
        if let statement = ApprovalStatement(bytes.text) {
            require(statement.text == bytes.text, "a statement has two forms")
        }
        if let roster = try? OperatorRoster.newest(of: [bytes]) {
            require(roster.bytes == bytes, "a list of operators has two forms")
        }
    }
}
