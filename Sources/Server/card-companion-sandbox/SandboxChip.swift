import ArgumentParser
import EMRTD
import EMRTDSimulation
import Foundation

/// What is held to the phone in the sandbox.
enum SandboxChip: String, ExpressibleByArgument, CaseIterable {
    case genuine
    /// All files of the genuine chip, but not its keys.
    case clone
    /// Another name in data group 1.
    case forged
    /// A genuine document of somebody else.
    case stranger
    case expired
    /// A document of a state that nobody trusts.
    case untrusted

    /// - Parameters:
    ///   - cardholder: who holds it.
    ///   - state: issues the genuine ones.
    func document(of cardholder: String, _ state: SimulatedIssuer) throws -> SimulatedDocument {
        var holder = SandboxState.holder(cardholder)
        switch self {
        case .genuine: return try state.issue(holder)
        case .clone: return try state.issue(holder).clone()
        case .forged:
            var document = try state.issue(holder)
            holder.name = "FORGED<<PERSON"
            document.files[.dataGroup(1)] = state.dataGroup1(holder)
            return document
        case .stranger: return try state.issue(SandboxState.holder(cardholder + "x"))
        case .expired:
            holder.dateOfExpiry = "200101"
            return try state.issue(holder)
        case .untrusted:
            return try SimulatedIssuer(at: Int64(Date().timeIntervalSince1970)).issue(holder)
        }
    }
}
