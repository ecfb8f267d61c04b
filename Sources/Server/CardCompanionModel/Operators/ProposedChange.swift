/// A change that one operator has signed.
package struct ProposedChange: Sendable {
    /// The nonce of the statement, in hex.
    package let id: String
    /// The command.
    package let action: String
    /// What is to be done: JSON. Secrets in it are sealed.
    package let change: [UInt8]
    /// The text that operators sign.
    package let statement: String
    package let operatorName: String
    package let signature: [UInt8]
    package let expiresAt: Timestamp

    package init(
        id: String, action: String, change: [UInt8], statement: String, operatorName: String, signature: [UInt8],
        expiresAt: Timestamp
    ) {
        self.id = id
        self.action = action
        self.change = change
        self.statement = statement
        self.operatorName = operatorName
        self.signature = signature
        self.expiresAt = expiresAt
    }
}
