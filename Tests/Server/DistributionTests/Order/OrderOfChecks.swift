import ServerHarness
import Testing

/// A fault in a request. The cases are in the order in which the protocol checks them.
protocol RequestFault: CaseIterable, Hashable, Sendable where AllCases == [Self] {
    /// The code for a request with only this fault.
    var code: Int { get }
    /// Whether a request cannot have both faults.
    func excludes(_ other: Self) -> Bool
}

extension RequestFault {
    func excludes(_ other: Self) -> Bool { false }

    /// Each fault alone, then all pairs that can be combined, and last no fault.
    static var combinations: [[Self]] {
        let pairs = allCases.indices.flatMap { first in
            allCases[(first + 1)...].map { [allCases[first], $0] }
        }
        return allCases.map { [$0] } + pairs.filter { !$0[0].excludes($0[1]) } + [[]]
    }
}

/// Sends a request for each combination of faults, and checks that the response has the code of the first fault.
func checkOrder<Fault: RequestFault>(
    of _: Fault.Type, _ send: ([Fault]) async throws -> HTTPAnswer
) async throws {
    for faults in Fault.combinations {
        let answer = try await send(faults)
        #expect(answer.status == 200)
        #expect(answer.code == faults.first?.code ?? 0, "\(faults)")
    }
}
