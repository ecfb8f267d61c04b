package import CardCompanionModel
internal import Cryptography
internal import PINBlocks
internal import PINVerification

/// What operators fix with a key for the issuer's host: all that shapes its values, and which cards it serves. A call can choose
/// none of it: somebody with the bank's back-end could otherwise learn PINs from many values of one.
///
/// It is part of what the inventory has of the key.
package struct HostKeyRules: Sendable, Equatable {
    /// What the key makes.
    enum Values: Sendable, Equatable {
        /// PIN blocks of these formats.
        case blocks(Set<HostBlockFormat>)
        case visaPVV(VisaPVV)
        case ibm3624(IBM3624)
    }

    /// The name of a rule: that of its option.
    package enum Name: String, CaseIterable, Sendable {
        case formats, pvki
        case decimalizationTable = "decimalization-table"
        case validationData = "validation-data"
        case pinLength = "pin-length"
        case panLength = "pan-length"
        case panPrefixes = "pan-prefixes"

        /// The rules that a key of a usage has, in the order of their text.
        package static func all(of usage: BankKeyUsage) -> [Name] {
            switch usage {
            case .pinTranslation: [.formats, .panLength, .panPrefixes]
            case .visaPVV: [.pvki, .panLength, .panPrefixes]
            case .ibm3624Offset: [.decimalizationTable, .validationData, .pinLength, .panLength, .panPrefixes]
            case .distribution, .definition, .both, .pinEncryption, .keyBlock: []
            }
        }

        var rule: String {
            switch self {
            case .formats: "must list iso-0, iso-3 (Triple DES) or iso-4 (AES)"
            case .pvki: "must be \(VisaPVV.keyIndexes.lowerBound) to \(VisaPVV.keyIndexes.upperBound)"
            case .decimalizationTable:
                "must be 16 digits, at least \(DecimalizationTable.distinctDigitMinimum) different ones, and each at most "
                    + "\(DecimalizationTable.occurrenceLimit) times"
            case .validationData: ValidationData.rule
            case .pinLength: "must be \(IBM3624.pinLengths.lowerBound) to \(IBM3624.pinLengths.upperBound)"
            case .panLength: "must be \(ServedCards.panLengths.lowerBound) to \(ServedCards.panLengths.upperBound)"
            case .panPrefixes:
                "must list 1 to \(ServedCards.prefixLimit) beginnings of PANs, each of "
                    + "\(ServedCards.prefixLengths.lowerBound) to \(ServedCards.prefixLengths.upperBound) digits"
            }
        }
    }

    let values: Values
    let cards: ServedCards
    /// A line `name=value` for each rule. Equal rules have the same text.
    package let text: String

    /// The text of rules that an operator has given.
    ///
    /// - Parameter given: by option.
    /// - Throws: ``InvalidSetting`` if a rule is missing, or is not one of the usage.
    package static func text(_ given: [Name: String], usage: BankKeyUsage) throws(InvalidSetting) -> String? {
        let names = Name.all(of: usage)
        if let other = Name.allCases.first(where: { given[$0] != nil && !names.contains($0) }) {
            throw InvalidSetting(description: "--\(other.rawValue) is not for a key of usage \(usage.rawValue)")
        }
        guard !names.isEmpty else { return nil }
        var lines: [String] = []
        for name in names {
            guard let value = given[name] else {
                throw InvalidSetting(description: "--\(name.rawValue) is missing: it \(name.rule)")
            }
            let isList = name == .formats || name == .panPrefixes
            lines.append("\(name.rawValue)=\(isList ? sorted(value) : value)")
        }
        return lines.joined(separator: "\n")
    }

    private static func sorted(_ members: String) -> String {
        members.split(separator: ",", omittingEmptySubsequences: false).sorted().joined(separator: ",")
    }

    /// Reads the rules of a key.
    ///
    /// - Throws: ``InvalidSetting`` for the first one that is wrong.
    package init(_ text: String, usage: BankKeyUsage, algorithm: BankKeyAlgorithm) throws(InvalidSetting) {
        self.text = text
        let lines = RuleLines(text)
        let cards = try lines.cards()
        self.cards = cards
        let covered: [Range<Int>]
        switch usage {
        case .pinTranslation:
            let formats = try lines.formats(algorithm)
            values = .blocks(formats)
            covered = formats.map { $0.panDigits(of: cards.panLength) }
        case .visaPVV:
            values = .visaPVV(try lines.read(.pvki) { RuleLines.number($0).flatMap(VisaPVV.init(keyIndex:)) })
            covered = [cards.panLength - 1 - VisaPVV.panDigitCount..<cards.panLength - 1]
        case .ibm3624Offset:
            let method = try lines.ibm3624(cards)
            values = .ibm3624(method)
            covered = [method.validationData.range]
        case .distribution, .definition, .both, .pinEncryption, .keyBlock:
            throw InvalidSetting(description: "a key of usage \(usage.rawValue) has no rules")
        }
        guard lines.names == Name.all(of: usage).map(\.rawValue) else {
            throw InvalidSetting(description: "the rules of the key are not those of its usage \(usage.rawValue)")
        }
        if let ambiguity = covered.compactMap({ cards.ambiguity(within: $0) }).first {
            throw InvalidSetting(description: "--pan-prefixes: \(ambiguity)")
        }
    }
}

/// A format of PIN blocks for the issuer's host. All are bound to a PAN: a block without one could be combined with any card
/// (PCI PIN, requirement 3).
enum HostBlockFormat: String, CaseIterable, Sendable {
    case iso0 = "iso-0"
    case iso3 = "iso-3"
    case iso4 = "iso-4"

    var format: PINBlockFormat {
        switch self {
        case .iso0: .iso0
        case .iso3: .iso3
        case .iso4: .iso4
        }
    }

    /// The digits of a PAN that are in a block, from 0.
    func panDigits(of panLength: Int) -> Range<Int> {
        self == .iso4 ? 0..<panLength : panLength - 13..<panLength - 1
    }
}

/// The lines of rules, each read into a value that cannot be wrong.
private struct RuleLines {
    private let lines: [(name: String, value: String)]

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let end = line.firstIndex(of: "=") ?? line.endIndex
            return (String(line[..<end]), String(line[end...].dropFirst()))
        }
    }

    var names: [String] { lines.map(\.name) }

    func read<Value>(
        _ name: HostKeyRules.Name, _ parse: (String) -> Value?
    ) throws(InvalidSetting) -> Value {
        guard let value = lines.first(where: { $0.name == name.rawValue }).flatMap({ parse($0.value) }) else {
            throw InvalidSetting(description: "--\(name.rawValue) \(name.rule)")
        }
        return value
    }

    /// A number in its shortest form; nil if the text is something else.
    static func number(_ text: String) -> Int? { Int(text).flatMap { "\($0)" == text ? $0 : nil } }

    func cards() throws(InvalidSetting) -> ServedCards {
        let panLength = try read(.panLength) { text in
            Self.number(text).flatMap { ServedCards.panLengths ~= $0 ? $0 : nil }
        }
        return try read(.panPrefixes) { text in
            ServedCards(
                panLength: panLength,
                prefixes: text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        }
    }

    func formats(_ algorithm: BankKeyAlgorithm) throws(InvalidSetting) -> Set<HostBlockFormat> {
        let formats = try read(.formats) { text -> Set<HostBlockFormat>? in
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let formats = Set(names.compactMap(HostBlockFormat.init(rawValue:)))
            return formats.map(\.rawValue).sorted() == names ? formats : nil
        }
        let cipher: BlockCipher.Algorithm = algorithm == .aes ? .aes : .tripleDES
        if let other = formats.first(where: { $0.format.cipher != cipher }) {
            throw InvalidSetting(
                description: "--formats: the key is \(algorithm.rawValue), but \(other.rawValue) needs another one")
        }
        return formats
    }

    func ibm3624(_ cards: ServedCards) throws(InvalidSetting) -> IBM3624 {
        let table = try read(.decimalizationTable) { DecimalizationTable($0) }
        let data = try read(.validationData) { ValidationData($0) }
        guard data.range.upperBound <= cards.panLength else {
            throw InvalidSetting(description: "--validation-data goes beyond the \(cards.panLength) digits of a PAN")
        }
        return try read(.pinLength) { text in
            Self.number(text).flatMap { IBM3624(table: table, validationData: data, pinLength: $0) }
        }
    }
}
