import EMRTD
import EMRTDSimulation
import SecureMemory

/// Commands for a chip and its answers.
enum ChipInput {
    private static let document = make { try SimulatedIssuer(at: 0).issue() }
    private static let keys = SessionKeys.Cipher.allCases.map { cipher in
        make {
            let key = [UInt8](repeating: 7, count: cipher.keyByteCount)
            return try SessionKeys(
                cipher, encryptionKey: SecretBytes(copying: key), authenticationKey: SecretBytes(copying: key))
        }
    }

    static func read(_ bytes: [UInt8]) {
        readCommand(bytes)
        for keys in keys {
            var channel = SecureChannel(keys: keys)
            require((try? channel.unprotect(Octets(copying: bytes))) == nil, "an answer without the keys is accepted")
            var chip = SimulatedChip(document, keys: keys)
            require(chip.answer(bytes)?.count == 2, "a chip answers a command without the keys")
        }
        readChipAuthentication(bytes)
        readFile(bytes)
    }

    private static func readCommand(_ bytes: [UInt8]) {
        guard let command = try? CommandAPDU(bytes) else { return }
        require((try? CommandAPDU(command.encoded)) == command, "a command is written as another")
    }

    private static func readChipAuthentication(_ bytes: [UInt8]) {
        let file = Octets(copying: document.files[.dataGroup(14)] ?? [])
        let limits = ChipAuthentication.Limits(commandByteCount: 261, blockByteCount: 256, allowsExtendedLength: false)
        guard let infos = try? SecurityInfos(file), let limits else { return }
        var authentication = ChipAuthentication(infos, channel: SecureChannel(keys: keys[0]), limits: limits)
        _ = authentication.start()
        guard case .finished(let outcome) = authentication.receive(Octets(copying: bytes)) else {
            preconditionFailure("an answer without the keys is accepted")
        }
        require(outcome.result == .failed && outcome.handBack == nil, "keys are handed back to a stranger")
    }

    /// Answers one after the other, each after its length.
    private static func readFile(_ bytes: [UInt8]) {
        var (reading, rest) = (FileReading(.dataGroup(1), chunkByteCount: 16, byteCountLimit: 512), bytes[...])
        while let count = rest.popFirst() {
            let answer = Octets(copying: Array(rest.prefix(Int(count))))
            rest = rest.dropFirst(Int(count))
            guard let response = try? ResponseAPDU(answer) else { return }
            switch reading.receive(response) {
            case .command(let command): require((command.expectedCount ?? 1) <= 16, "too many bytes are asked for")
            case .file(let file): return require(file.count <= 512, "a file is too long")
            case .failed: return
            }
        }
    }
}
