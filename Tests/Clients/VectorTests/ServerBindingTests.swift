import CardCompanionModel
import JOSE
import Testing

@testable import CardCompanion

@Suite("Negative vectors: what a sealed value is for")
struct ServerBindingTests {
    @Test("Each value is taken or refused as its vector says", arguments: try NegativeVectors.file.get().bindings)
    func binding(_ vector: NegativeVectors.Binding) throws {
        let jwe = try JWE(compact: vector.compact)
        _ = try jwe.open(with: NegativeVectors.file.get().keys.named(vector.recipient))
        let required = RequiredBinding(
            try #require(RequiredBinding.Content(rawValue: vector.content)),
            bankId: try #require(Identifier(vector.bankId)), uniqueId: vector.uniqueId, requestId: vector.requestId,
            keypadId: vector.keypadId)
        for (rule, verdict) in [(SealedValueRule.bound, vector.bound), (.any, vector.any)] {
            let isTaken = (try? required.check(jwe, by: rule)) != nil
            #expect(isTaken == (verdict == .valid), "\(rule)")
        }
    }
}
