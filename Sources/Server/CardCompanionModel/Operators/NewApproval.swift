/// A statement that two operators have signed.
package struct NewApproval: Sendable {
    package let id: String
    package let statement: String
    package let firstOperator: String
    package let firstSignature: [UInt8]
    package let secondOperator: String
    package let secondSignature: [UInt8]

    package init(
        id: String, statement: String, firstOperator: String, firstSignature: [UInt8], secondOperator: String,
        secondSignature: [UInt8]
    ) {
        self.id = id
        self.statement = statement
        self.firstOperator = firstOperator
        self.firstSignature = firstSignature
        self.secondOperator = secondOperator
        self.secondSignature = secondSignature
    }
}
