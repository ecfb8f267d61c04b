/// The header of a key block (X9.143 section 6.3): what the key inside is for. It only has values that the server honours.
package struct KeyBlockHeader: Sendable, Hashable {
    /// Whether a key may leave the place that it is sent to (X9.143 section 6.3.5). The server never hands out a bank's key.
    package enum Exportability: Character, Sendable, Hashable, CaseIterable {
        /// Under another key, in a key block.
        case exportable = "E"
        case notExportable = "N"
    }

    package let version: KeyBlockVersion
    package let purpose: KeyPurpose
    package let algorithm: KeyAlgorithm
    /// Two letters or digits, `00` if the bank does not number its keys. The server does not use it.
    package let keyVersion: String
    package let exportability: Exportability
    package let optionalBlocks: [OptionalBlock]

    /// - Throws: ``KeyBlockError`` if the values do not belong together.
    package init(
        version: KeyBlockVersion, purpose: KeyPurpose, algorithm: KeyAlgorithm, keyVersion: String = "00",
        exportability: Exportability = .notExportable, optionalBlocks: [OptionalBlock] = []
    ) throws(KeyBlockError) {
        guard purpose.algorithms.contains(algorithm) else {
            throw Self.refusal(ofAlgorithm: String(algorithm.rawValue), purpose.usage)
        }
        guard keyVersion.utf8.count == 2, keyVersion.utf8.allSatisfy(Self.isDigitOrCapital) else {
            throw KeyBlockError(
                .keyVersion,
                keyVersion.hasPrefix("c")
                    ? "'\(keyVersion)' is refused: the block has a component; enter it with 'key import --components'"
                    : "'\(keyVersion)' must be two digits or capital letters")
        }
        for block in optionalBlocks {
            guard block != .hashIsSHA256 || algorithm == .hmac else {
                throw KeyBlockError(.optionalBlock(block.id), "only an HMAC key has it")
            }
            // A block that was not read can have any text.
            _ = try OptionalBlock(block.id, block.data)
        }
        self.version = version
        self.purpose = purpose
        self.algorithm = algorithm
        self.keyVersion = keyVersion
        self.exportability = exportability
        self.optionalBlocks = optionalBlocks
    }

    private static func isDigitOrCapital(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
    }
}

// MARK: - Reading

extension KeyBlockHeader {
    /// Reads the header at the start of a key block.
    ///
    /// - Parameter blockLength: gets the length that the header says, in characters.
    init(_ reader: inout TextReader, blockLength: inout Int) throws(KeyBlockError) {
        let version = try Self.version(try reader.take(1, .version))
        blockLength = try reader.takeNumber(4, .length)
        let usage = try Self.usage(try reader.take(2, .keyUsage))
        let algorithm = try Self.algorithm(try reader.take(1, .algorithm), usage)
        let purpose = try Self.purpose(usage, mode: try reader.take(1, .modeOfUse))
        let keyVersion = try reader.take(2, .keyVersion)
        let exportability = try Self.exportability(try reader.take(1, .exportability))
        let count = try reader.takeNumber(2, .optionalBlockCount)
        try Self.requireNoContext(try reader.take(1, .keyContext))
        let reserved = try reader.take(1, .reserved)
        guard reserved == "0" else { throw KeyBlockError(.reserved, "'\(reserved)' is refused: only 0 is supported") }
        let blocks = try OptionalBlockSequence(&reader, count: count, multiple: version.blockByteCount)
        try self.init(
            version: version, purpose: purpose, algorithm: algorithm, keyVersion: keyVersion,
            exportability: exportability, optionalBlocks: blocks.blocks)
    }

    private static func version(_ text: String) throws(KeyBlockError) -> KeyBlockVersion {
        guard !["0", "1"].contains(text) else {
            throw KeyBlockError(
                .version, "'\(text)' is a payShield's own, under its LMK. \(KeyBlockText.wayThatWorks)")
        }
        guard let version = KeyBlockVersion(rawValue: Character(text)) else {
            throw KeyBlockError(.version, "'\(text)' is refused: only B (Triple DES) and D (AES) are supported")
        }
        return version
    }

    private static func usage(_ text: String) throws(KeyBlockError) -> String {
        guard KeyPurpose.all.contains(where: { $0.usage == text }) else {
            throw KeyBlockError(
                .keyUsage,
                "'\(text)' is refused: only P0 (PIN encryption), M7 (HMAC), V1 (IBM 3624), V2 (Visa PVV), K1 (key block "
                    + "protection) and K0 (key encryption) are supported")
        }
        return text
    }

    private static func algorithm(_ text: String, _ usage: String) throws(KeyBlockError) -> KeyAlgorithm {
        guard let algorithm = KeyAlgorithm(rawValue: Character(text)), algorithms(of: usage).contains(algorithm) else {
            throw refusal(ofAlgorithm: text, usage)
        }
        return algorithm
    }

    private static func refusal(ofAlgorithm letter: String, _ usage: String) -> KeyBlockError {
        let letters = algorithms(of: usage).map { String($0.rawValue) }.joined(separator: " or ")
        return KeyBlockError(.algorithm, "'\(letter)' is refused: a key of usage \(usage) has \(letters)")
    }

    private static func algorithms(of usage: String) -> [KeyAlgorithm] {
        KeyPurpose.all.first { $0.usage == usage }?.algorithms ?? []
    }

    private static func purpose(_ usage: String, mode: String) throws(KeyBlockError) -> KeyPurpose {
        let purposes = KeyPurpose.all.filter { $0.usage == usage }
        guard let purpose = purposes.first(where: { $0.modeOfUse == Character(mode) }) else {
            let letters = purposes.map { String($0.modeOfUse) }.sorted().joined(separator: ", ")
            throw KeyBlockError(.modeOfUse, "'\(mode)' is refused: a key of usage \(usage) has one of \(letters)")
        }
        return purpose
    }

    private static func exportability(_ text: String) throws(KeyBlockError) -> Exportability {
        guard let exportability = Exportability(rawValue: Character(text)) else {
            throw KeyBlockError(
                .exportability, "'\(text)' is refused: only E and N are supported, keys that stay in key blocks")
        }
        return exportability
    }

    /// Refuses a block that says where it may be used (X9.143 section 6.2, table 1).
    private static func requireNoContext(_ text: String) throws(KeyBlockError) {
        switch text {
        case "0": break
        case "1":
            throw KeyBlockError(
                .keyContext, "'1' is refused: the block is for storage only, not for exchange. Ask for one with 0")
        case "2":
            throw KeyBlockError(
                .keyContext,
                "'2' is refused: the block is for exchange only, but the server stores its key. Ask for one with 0")
        default: throw KeyBlockError(.keyContext, "'\(text)' is refused: only 0 is supported")
        }
    }
}

// MARK: - Writing

extension KeyBlockHeader {
    /// The text of the header, for a block of `payloadLength` characters after it.
    func text(payloadLength: Int) -> String {
        let blocks = OptionalBlockSequence(optionalBlocks).text(multiple: version.blockByteCount)
        let length = Self.fixedLength + blocks.text.utf8.count + payloadLength
        return "\(version.rawValue)\(Self.decimal(length, digits: 4))\(purpose.usage)\(algorithm.rawValue)"
            + "\(purpose.modeOfUse)\(keyVersion)\(exportability.rawValue)\(Self.decimal(blocks.count, digits: 2))00"
            + blocks.text
    }

    /// The length without optional blocks.
    private static let fixedLength = 16

    private static func decimal(_ number: Int, digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(digits - text.count, 0)) + text
    }
}
