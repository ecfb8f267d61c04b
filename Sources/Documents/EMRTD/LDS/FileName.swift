/// A file of a document's chip that this library reads (Doc 9303-10 section 4).
package enum FileName: Hashable, Sendable, CustomStringConvertible {
    case common
    case securityObject
    /// 1 to 16.
    case dataGroup(Int)

    /// Its name between a client and a server: `com`, `sod`, `dg1` to `dg16`.
    package init?(_ name: String) {
        switch name {
        case "com": self = .common
        case "sod": self = .securityObject
        default:
            guard name.hasPrefix("dg"), let number = Int(name.dropFirst(2)), 1...16 ~= number,
                name == "dg\(number)"
            else { return nil }
            self = .dataGroup(number)
        }
    }

    package var description: String {
        switch self {
        case .common: "com"
        case .securityObject: "sod"
        case .dataGroup(let number): "dg\(number)"
        }
    }

    /// The file identifier, for SELECT.
    package var identifier: [UInt8] {
        switch self {
        case .common: [0x01, 0x1E]
        case .securityObject: [0x01, 0x1D]
        case .dataGroup(let number): [0x01, UInt8(number)]
        }
    }

    /// The tag around the file's content.
    package var tag: TLVTag {
        switch self {
        case .common: 0x60
        case .securityObject: 0x77
        case .dataGroup(let number): Self.dataGroupTags[number - 1]
        }
    }

    /// The data group with this tag.
    static func dataGroupNumber(of tag: TLVTag) -> Int? {
        dataGroupTags.firstIndex(of: tag).map { $0 + 1 }
    }

    private static let dataGroupTags: [TLVTag] = [
        0x61, 0x75, 0x63, 0x76, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70,
    ]
}

extension FileName {
    /// Reads what is in the file's own tag. Nothing may follow it.
    func content(
        of file: Octets, _ lengths: TLVReader.Lengths = .definite
    ) throws(FormatError) -> TLVReader {
        try TLVReader.only(tag, in: file, lengths).reader()
    }
}
