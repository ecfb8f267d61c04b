package import Administration
internal import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore

/// What an operator can say of a data key.
package enum NewDataKeyState: String, CaseIterable, Codable, Sendable {
    case usable, disabled, compromised

    var stored: DataKeyState {
        switch self {
        case .usable: .usable
        case .disabled: .disabled
        case .compromised: .compromised
        }
    }
}

/// `vault rotate-data-key`.
package struct RotateDataKeys: Change {
    package static let command = "vault rotate-data-key"
    package static let writesInventory = true

    let purposes: [DataKeyPurpose]

    package init(purposes: [DataKeyPurpose]) {
        self.purposes = purposes
    }

    package var bankId: Identifier? { nil }
    package var subject: String? { purposes.map(\.rawValue).joined(separator: ", ") }

    package func details(in installation: Installation) async throws -> [String] { ["new data keys: \(subject ?? "")"] }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        let made = try await installation.withDataKeys { dataKeys in
            var made: [Int32] = []
            for purpose in purposes {
                guard let id = try await dataKeys.rotate(purpose) else {
                    throw CommandError.refused(
                        "the newest data key for '\(purpose.rawValue)' is not used yet: see 'card-companion vault status'"
                    )
                }
                made.append(id)
            }
            return made
        }
        return Shown(
            text: "new data keys: \(made.map { "\($0)" }.joined(separator: ", ")); running servers use them in "
                + "\(DataKeys.activationSeconds) seconds",
            json: ["dataKeys": made])
    }
}

/// `vault retire-data-key`.
package struct RetireDataKey: Change {
    package static let command = "vault retire-data-key"
    package static let writesInventory = true

    let key: Int32

    package init(key: Int32) {
        self.key = key
    }

    package var bankId: Identifier? { nil }
    package var subject: String? { "\(key)" }

    package func details(in installation: Installation) async throws -> [String] { ["data key \(key) is erased"] }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        try await installation.withDataKeys { try await $0.retire(key) }
        return Shown(text: "retired data key \(key)", json: ["dataKey": key])
    }
}

/// `vault set-data-key`.
package struct SetDataKey: Change {
    package static let command = "vault set-data-key"
    package static let writesInventory = true

    let key: Int32
    let state: NewDataKeyState

    package init(key: Int32, state: NewDataKeyState) {
        self.key = key
        self.state = state
    }

    package var bankId: Identifier? { nil }
    package var subject: String? { "\(key) \(state.rawValue)" }

    package func details(in installation: Installation) async throws -> [String] {
        ["data key \(key) is \(state.rawValue)"]
    }

    /// A key that may be known to others stops at once.
    package func needsApproval(in installation: Installation) async throws -> Bool { state != .compromised }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        try await installation.withDataKeys { try await $0.set(key, to: state.stored) }
        return Shown(
            text: "data key \(key) is \(state.rawValue)", json: ["dataKey": "\(key)", "state": state.rawValue])
    }
}
