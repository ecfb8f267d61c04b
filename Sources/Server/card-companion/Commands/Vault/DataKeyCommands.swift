import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import DualControl

extension VaultCommand {
    struct RotateDataKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate-data-key",
            abstract: "Creates new data keys. Running servers seal the values in the database with them.",
            discussion: """
                Servers use a new key after \(DataKeys.activationSeconds) seconds: by then all of them have it. One \
                minute later they begin to seal the old values again with the new key, and continue after a restart. \
                'vault status' shows their progress. They cannot do this with codes: a code changes to the new key \
                when the bank sends it again, or when the cardholder uses it.

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
            commandName: "retire-data-key",
            abstract: "Erases a data key that was replaced, if no value in the database needs it.",
            discussion: "EXAMPLE\n  card-companion vault retire-data-key 1")

        @Argument(help: "The key's number, as in the status.")
        var key: Int32
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await DualControl.RetireDataKey(key: key).run(options, signer, output)
        }
    }

    struct SetDataKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-data-key",
            abstract: "Marks a replaced data key as compromised, as disabled, or as usable again.",
            discussion: """
                compromised: servers open values with the key only to seal them again with a new key, in their next \
                round (housekeeping.interval.seconds). Until then a PIN that is sealed with the key cannot be fetched. \
                disabled: servers do not load the key, and cannot open values that were made with it. Servers apply \
                the change within \(KeyRefresh.intervalSeconds) seconds.

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
            try await DualControl.SetDataKey(key: key, state: state).run(options, signer, output)
        }
    }
}
