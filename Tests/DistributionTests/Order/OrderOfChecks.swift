import ServerHarness
import Testing

/// Something that is wrong with a request. The cases are in the order in which the protocol has them checked.
protocol RequestFault: CaseIterable, Hashable, Sendable where AllCases == [Self] {
    /// What a request is answered that is wrong in this way only.
    var code: Int { get }
    /// Whether a request cannot be wrong in both ways.
    func excludes(_ other: Self) -> Bool
}

extension RequestFault {
    func excludes(_ other: Self) -> Bool { false }

    /// Each fault alone, all pairs that can be combined, and at last none.
    static var combinations: [[Self]] {
        let pairs = allCases.indices.flatMap { first in
            allCases[(first + 1)...].map { [allCases[first], $0] }
        }
        return allCases.map { [$0] } + pairs.filter { !$0[0].excludes($0[1]) } + [[]]
    }
}

/// Sends a request for each combination of faults and checks that it is answered the code of the first.
func checkOrder<Fault: RequestFault>(
    of _: Fault.Type, _ send: ([Fault]) async throws -> HTTPAnswer
) async throws {
    for faults in Fault.combinations {
        let answer = try await send(faults)
        #expect(answer.status == 200)
        #expect(answer.code == faults.first?.code ?? 0, "\(faults)")
    }
}
