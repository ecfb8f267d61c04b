internal import Administration
package import ArgumentParser
internal import SecureMemory

/// What the programs have in common: their memory for secrets, and how they show an error.
package enum Program {
    /// For keys, PINs and codes. If it is full, further secrets are in the ordinary heap, and the server warns. They are wiped
    /// there too.
    package static let secureHeapByteCount = 4 << 20

    /// Runs the command that the arguments name, and ends the process if it fails.
    package static func run(_ root: any AsyncParsableCommand.Type) async {
        if !CoreDumps.forbid() { Terminal.note("warning: core dumps could not be disabled: they would contain keys") }
        SecureHeap.initialize(byteCount: secureHeapByteCount)
        do {
            var command = try root.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let error = CommandError.wrapping(error)
            guard let refusal = error as? CommandError else { exit(root, with: error) }
            Terminal.complain(refusal)
            root.exit(withError: ExitCode(refusal.status))
        }
    }

    /// Help and the version are errors for the parser, which prints them itself and does not look whether that succeeded.
    private static func exit(_ root: any AsyncParsableCommand.Type, with error: any Error) -> Never {
        guard root.exitCode(for: error).isSuccess else { root.exit(withError: error) }
        do {
            try Terminal.show(root.fullMessage(for: error))
        } catch {
            Terminal.complain(error)
            root.exit(withError: ExitCode(error.status))
        }
        root.exit(withError: ExitCode.success)
    }
}
