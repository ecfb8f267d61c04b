/// What a session has gathered about one document.
package struct DocumentEvidence: Sendable {
    /// The result of chip authentication.
    package struct ChipAuthenticationEvidence: Sendable {
        package let result: ChipAuthentication.Result
        /// The file whose key was used.
        package let dg14: Octets
        /// The file that was read at its end; nil if it could not be read.
        package let dg1: Octets?
        /// What happened, without personal data; nil after success.
        package let reason: String?

        package init(result: ChipAuthentication.Result, dg14: Octets, dg1: Octets?, reason: String? = nil) {
            self.result = result
            self.dg14 = dg14
            self.dg1 = dg1
            self.reason = reason
        }
    }

    package let files: [FileName: Octets]
    /// Nil if it was not begun.
    package let chipAuthentication: ChipAuthenticationEvidence?
    /// The challenge that this session drew.
    package let challenge: [UInt8]
    /// The chip's answer to it, if there is one.
    package let activeAuthenticationSignature: [UInt8]?
    /// Whether the client has read all that it wanted. If not, the document does not pass, and nothing personal that was not
    /// verified is in what was found.
    package let isComplete: Bool
    /// What must live as long as the files.
    private let memory: (any Sendable)?

    package init(
        files: [FileName: Octets], chipAuthentication: ChipAuthenticationEvidence?, challenge: [UInt8],
        activeAuthenticationSignature: [UInt8]?, isComplete: Bool = true, memory: (any Sendable)? = nil
    ) {
        self.files = files
        self.chipAuthentication = chipAuthentication
        self.challenge = challenge
        self.activeAuthenticationSignature = activeAuthenticationSignature
        self.isComplete = isComplete
        self.memory = memory
    }

    /// The data groups. EF.DG1 is the one that the server read itself.
    var dataGroups: [Int: Octets] {
        var groups: [Int: Octets] = [:]
        for case (.dataGroup(let number), let file) in files { groups[number] = file }
        if let dg1 = chipAuthentication?.dg1 { groups[1] = dg1 }
        return groups
    }
}

/// What must be proven before a document passes.
package enum AssuranceLevel: String, Sendable {
    /// That the chip is the one that the issuing state made.
    case chip
    /// As ``chip`` if the chip can prove it. Chips that cannot pass with passive authentication alone: copies of them pass too.
    case passive
}
