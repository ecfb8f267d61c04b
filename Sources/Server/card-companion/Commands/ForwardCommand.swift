import ArgumentParser
import CardCompanionForwarding
import CardCompanionModel
import CardCompanionServer

struct ForwardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward",
        abstract: "Runs a bank's connector until SIGTERM or SIGINT: it hands defined PINs to a program of the bank's.",
        discussion: """
            The program gets one line of JSON for each PIN that a cardholder has defined (not the PIN), gives the \
            issuer's host what it needs, and answers with one line. If it does not answer, ends, or answers something else, it \
            is started again, and asked again. docs/issuer-host.md says what is in the lines.

            PINs wait for a connector only if the bank has --forward-defined-pins true. The connector needs no key and \
            no vault. Give it a database role of its own, and a user of its own, because the bank's program runs as that user.

            EXAMPLES
              card-companion bank set MYBANK --forward-defined-pins true
              card-companion forward --bank MYBANK \\
                  --database-url 'postgresql://forward@db1/cards?sslmode=verify-full' \\
                  -- /usr/local/bin/to-host --environment production
            """)

    @Option(help: "The bank's id.")
    var bank: Identifier
    @Option(help: "How many PINs the program can have at once (1 to 64).")
    var atOnce = 8
    @Option(help: "How many seconds the program can take to answer (1 to 3600).")
    var answerSeconds = 60
    @Argument(
        parsing: .postTerminator,
        help: "After '--': the absolute path of the bank's program, and its arguments.")
    var program: [String] = []
    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard ConnectorSettings.limitRange.contains(atOnce) else {
            throw ValidationError("--at-once must be 1 to \(ConnectorSettings.limitRange.upperBound).")
        }
        guard ConnectorSettings.answerSecondsRange.contains(answerSeconds) else {
            throw ValidationError("--answer-seconds must be 1 to \(ConnectorSettings.answerSecondsRange.upperBound).")
        }
        guard !program.isEmpty else { throw ValidationError("Name the bank's program after '--'.") }
    }

    func run() async throws {
        let (path, arguments) = (program[0], Array(program.dropFirst()))
        try await ConnectorProcess.run(
            options,
            connector: ConnectorSettings(
                bankId: bank, program: path, arguments: arguments, limit: atOnce, answerSeconds: answerSeconds))
    }
}
