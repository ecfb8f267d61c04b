internal import Cryptography

/// The optional blocks of a header, and the block PB that fills them up to whole blocks of the cipher (X9.143 section 6.3.6).
/// PB is the last one. Makers differ in how long it is, and in what it has: psec adds a whole block where four characters are
/// enough. Its data has no meaning, and the MAC protects it.
struct OptionalBlockSequence {
    private static let padding = "PB"
    /// Of the two letters and the length.
    private static let prefixLength = 4

    let blocks: [OptionalBlock]

    init(_ blocks: [OptionalBlock]) {
        self.blocks = blocks
    }

    /// Reads `count` blocks, which must fill a multiple of `multiple` characters.
    init(_ reader: inout TextReader, count: Int, multiple: Int) throws(KeyBlockError) {
        var blocks: [OptionalBlock] = []
        var ids: Set<String> = []
        let start = reader.position
        for index in 0..<count {
            let id = try reader.take(2, .optionalBlockCount)
            let field = KeyBlockError.Field.optionalBlock(id)
            let data = try reader.take(try Self.dataLength(&reader, field), field)
            guard ids.insert(id).inserted else { throw KeyBlockError(field, "it occurs twice") }
            if id == Self.padding {
                guard index == count - 1 else {
                    throw KeyBlockError(
                        field, "it must be the last of the \(count) optional blocks that the header counts")
                }
            } else {
                blocks.append(try OptionalBlock(id, data))
            }
        }
        guard (reader.position - start).isMultiple(of: multiple) else {
            throw KeyBlockError(
                .optionalBlockCount,
                "the optional blocks have \(reader.position - start) characters: PB must fill them up to a multiple of "
                    + "\(multiple)")
        }
        self.blocks = blocks
    }

    /// Two hex digits; or 00, the length of the length, which is 02, and four hex digits.
    private static func dataLength(
        _ reader: inout TextReader, _ field: KeyBlockError.Field
    ) throws(KeyBlockError) -> Int {
        var (length, prefix) = (try reader.takeHexNumber(2, field), prefixLength)
        if length == 0 {
            guard try reader.takeHexNumber(2, field) == 2 else {
                throw KeyBlockError(field, "the length of its length must be 02")
            }
            length = try reader.takeHexNumber(4, field)
            prefix += 6
        }
        guard length >= prefix else { throw KeyBlockError(field, "its length must include its name and itself") }
        return length - prefix
    }

    /// The blocks as text, filled up, and how many they are then.
    func text(multiple: Int) -> (text: String, count: Int) {
        let text = blocks.map { Self.text($0.id, $0.data) }.joined()
        let excess = text.utf8.count % multiple
        guard excess > 0 else { return (text, blocks.count) }
        let fill = (multiple - (excess + Self.prefixLength) % multiple) % multiple
        return (text + Self.text(Self.padding, String(repeating: "0", count: fill)), blocks.count + 1)
    }

    private static func text(_ id: String, _ data: String) -> String {
        let length = data.utf8.count + prefixLength
        let digits =
            length <= 0xFF ? [UInt8(length)] : [0, 2] + UInt16(truncatingIfNeeded: length + 6).bigEndianBytes
        return id + Hex.encode(digits).uppercased() + data
    }
}
