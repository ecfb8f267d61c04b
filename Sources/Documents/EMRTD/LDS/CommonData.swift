/// EF.COM: versions, and a list of data groups (Doc 9303-10 section 4.6.1). It is not signed, so it proves nothing.
package struct CommonData: Sendable {
    /// Four digits.
    package let ldsVersion: String
    /// Six digits.
    package let unicodeVersion: String
    package let dataGroups: [Int]

    package init(_ file: Octets) throws(FormatError) {
        var reader = try FileName.common.content(of: file)
        ldsVersion = try Self.digits(reader.read(0x5F01), count: 4)
        unicodeVersion = try Self.digits(reader.read(0x5F36), count: 6)
        let tags = try TLVReader.tagList(reader.read(0x5C).content)
        try reader.finish()
        var numbers: [Int] = []
        for tag in tags {
            guard let number = FileName.dataGroupNumber(of: tag) else {
                throw FormatError("tag \(tag) in the tag list is not a data group's")
            }
            numbers.append(number)
        }
        dataGroups = numbers
    }

    private static func digits(_ element: TLVElement, count: Int) throws(FormatError) -> String {
        guard element.content.count == count, CalendarTime.number(element.content.bytes) != nil else {
            throw FormatError("tag \(element.tag) is not \(count) digits")
        }
        return String(decoding: element.content.bytes, as: UTF8.self)
    }
}
