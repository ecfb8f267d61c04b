import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer

extension VaultCommand {
    struct RotateDataKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates new data keys. Running servers seal the values in the database with them.",
            discussion: """
                Servers use a new key after \(DataKeys.activationSeconds) seconds: by then all of them have it. One minute \
                later they begin to seal the old values again with the new key, and continue after a restart. 'vault status' \
                shows their progress. They cannot do this with codes: a code changes to the new key when the bank sends it \
                again, or when the cardholder uses it.

                EXAMPLES
                  card-companion vault rotate-data-key
                  card-companion vault rotate-data-key --purpose pins
                """)

        @Option(help: "pins, codes, keypads, keys, free-fields, digests or audit. Default: all.")
        var purpose: DataKeyPurpose?
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await RotateDataKeys(purposes: purpose.map { [$0] } ?? DataKeyPurpose.allCases)
                .run(options, signer, output)
        }
    }

    struct RetireDataKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Erases a data key that was replaced, if no value in the database needs it.",
            discussion: "EXAMPLE\n  card-companion vault retire-data-key 1")

        @Argument(help: "The key's number, as in the status.")
        var key: Int32
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await card_companion.RetireDataKey(key: key).run(options, signer, output)
        }
    }

    struct SetDataKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-data-key",
            abstract: "Marks a replaced data key as compromised, as disabled, or as usable again.",
            discussion: """
                compromised: servers open values with the key only to seal them again with a new key, in their next round
                (housekeeping.interval.seconds). Until then a PIN that is sealed with the key cannot be fetched. disabled:
                servers do not load the key, and cannot open values that were made with it. Servers apply the change within
                \(KeyRefresh.intervalSeconds) seconds.

                EXAMPLE
                  card-companion vault set-data-key 1 --state compromised
                """)

        @Argument(help: "The key's number, as in the status.")
        var key: Int32
        @Option(help: "usable, disabled or compromised.")
        var state: NewDataKeyState
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await card_companion.SetDataKey(key: key, state: state).run(options, signer, output)
        }
    }
}

/// What an operator can say of a data key.
enum NewDataKeyState: String, ExpressibleByArgument, CaseIterable, Codable {
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
struct RotateDataKeys: Change {
    static let command = "vault rotate-data-key"

    let purposes: [DataKeyPurpose]

    var bankId: Identifier? { nil }
    var subject: String? { purposes.map(\.rawValue).joined(separator: ", ") }

    func details(in installation: Installation) async throws -> [String] { ["new data keys: \(subject ?? "")"] }

    func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
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
struct RetireDataKey: Change {
    static let command = "vault retire-data-key"

    let key: Int32

    var bankId: Identifier? { nil }
    var subject: String? { "\(key)" }

    func details(in installation: Installation) async throws -> [String] { ["data key \(key) is erased"] }

    func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        try await installation.withDataKeys { try await $0.retire(key) }
        return Shown(text: "retired data key \(key)", json: ["dataKey": key])
    }
}

/// `vault set-data-key`.
struct SetDataKey: Change {
    static let command = "vault set-data-key"

    let key: Int32
    let state: NewDataKeyState

    var bankId: Identifier? { nil }
    var subject: String? { "\(key) \(state.rawValue)" }

    func details(in installation: Installation) async throws -> [String] { ["data key \(key) is \(state.rawValue)"] }

    /// A key that may be known to others stops at once.
    func needsApproval(in installation: Installation) async throws -> Bool { state != .compromised }

    func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        try await installation.withDataKeys { try await $0.set(key, to: state.stored) }
        return Shown(
            text: "data key \(key) is \(state.rawValue)", json: ["dataKey": "\(key)", "state": state.rawValue])
    }
}
