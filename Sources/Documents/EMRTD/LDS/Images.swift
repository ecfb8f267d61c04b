internal import Cryptography

/// An image in a data group. It is taken out as it is, and never decoded.
package struct DocumentImage: Sendable, Hashable {
    package enum Format: String, Sendable {
        case jpeg = "image/jpeg"
        case jpeg2000 = "image/jp2"
    }

    package let format: Format
    package let bytes: Octets

    /// - Throws: `FormatError` if the bytes start neither like JPEG nor like JPEG 2000.
    init(_ bytes: Octets) throws(FormatError) {
        switch true {
        case bytes.starts(with: [0xFF, 0xD8, 0xFF]): format = .jpeg
        case bytes.starts(with: [0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50]), bytes.starts(with: [0xFF, 0x4F, 0xFF, 0x51]):
            format = .jpeg2000
        default: throw FormatError("an image is neither JPEG nor JPEG 2000")
        }
        self.bytes = bytes
    }
}

/// DG2: images of the face (Doc 9303-10 section 4.7.2).
package struct FaceImages: Sendable {
    private static let templateCountLimit = 9
    private static let faceCountLimit = 16

    package let images: [DocumentImage]

    package init(_ file: Octets) throws(FormatError) {
        var outer = try FileName.dataGroup(2).content(of: file)
        var templates = try outer.read(0x7F61).reader()
        try outer.finish()
        let count = try templates.readSmallInteger()
        guard 1...Self.templateCountLimit ~= count else { throw FormatError("there are \(count) biometric templates") }
        var images: [DocumentImage] = []
        for _ in 0..<count {
            images += try Self.images(inTemplate: templates.read(0x7F60))
        }
        try templates.finish()
        self.images = images
    }

    private static func images(inTemplate template: TLVElement) throws(FormatError) -> [DocumentImage] {
        var reader = try template.reader()
        _ = try reader.read(0xA1)
        let block = try reader.next()
        try reader.finish()
        switch block.tag {
        case 0x5F2E:
            return try parsing("face record (ISO/IEC 19794-5)") { () throws(FormatError) in
                try imagesOf19794(block.content)
            }
        case 0x7F2E:
            return try parsing("face block (ISO/IEC 39794-5)") { () throws(FormatError) in
                try imagesOf39794(block)
            }
        default: throw FormatError("there is tag \(block.tag) instead of a biometric data block")
        }
    }

    // MARK: ISO/IEC 19794-5:2005

    private static let recordHeaderCount = 14
    private static let faceHeaderCount = 20
    private static let featurePointCount = 8
    private static let imageHeaderCount = 12

    /// The record's header (`FAC`, version, length, number of faces), then for each face its header, points of the face, the
    /// image's header, and the image.
    private static func imagesOf19794(_ record: Octets) throws(FormatError) -> [DocumentImage] {
        guard record.count >= recordHeaderCount, record.starts(with: Array("FAC\u{0}010\u{0}".utf8)),
            number(record[8..<12]) == record.count
        else { throw FormatError("the header is malformed") }
        let faceCount = number(record[12..<14])
        guard 1...faceCountLimit ~= faceCount else { throw FormatError("there are \(faceCount) faces") }
        var (rest, images): (Octets, [DocumentImage]) = (record.dropFirst(recordHeaderCount), [])
        for _ in 0..<faceCount {
            guard rest.count >= faceHeaderCount else { throw FormatError("a face is cut off") }
            let count = number(rest[0..<4])
            let start = faceHeaderCount + number(rest[4..<6]) * featurePointCount + imageHeaderCount
            guard count <= rest.count, start < count else { throw FormatError("the length of a face is wrong") }
            images.append(try DocumentImage(rest[start..<count]))
            rest = rest.dropFirst(count)
        }
        guard rest.isEmpty else { throw FormatError("bytes are left over") }
        return images
    }

    private static func number(_ bytes: Octets) -> Int {
        bytes.withBytes { Int(bigEndianBytes: $0) }
    }

    // MARK: ISO/IEC 39794-5:2019

    /// FaceImageDataBlock (`65`) in the block, its representations (`A1`), and in each of them (`30`) the image: base
    /// (`A1`), two-dimensional (`A0`), base (`A0`), data (`80`).
    private static func imagesOf39794(_ block: TLVElement) throws(FormatError) -> [DocumentImage] {
        let representations = try child(0xA1, of: child(0x65, of: child(0xA1, of: block))).reader()
        var (reader, images): (TLVReader, [DocumentImage]) = (representations, [])
        for representation in try reader.readAll(atMost: faceCountLimit) {
            let image = try child(0xA0, of: child(0xA0, of: child(0xA1, of: representation)))
            images.append(try DocumentImage(child(0x80, of: image).content))
        }
        guard !images.isEmpty else { throw FormatError("there is no face") }
        return images
    }

    private static func child(_ tag: TLVTag, of element: TLVElement) throws(FormatError) -> TLVElement {
        var reader = try element.reader()
        guard let child = try reader.readAll(atMost: 64).first(where: { $0.tag == tag }) else {
            throw FormatError("tag \(tag) in tag \(element.tag) is missing")
        }
        return child
    }
}

/// DG7: images of the signature (Doc 9303-10 section 4.7.7).
package struct SignatureImages: Sendable {
    private static let countLimit = 9

    package let images: [DocumentImage]

    package init(_ file: Octets) throws(FormatError) {
        var reader = try FileName.dataGroup(7).content(of: file)
        let count = try reader.readSmallInteger()
        guard 1...Self.countLimit ~= count else { throw FormatError("there are \(count) images") }
        var images: [DocumentImage] = []
        for _ in 0..<count {
            images.append(try DocumentImage(reader.read(0x5F43).content))
        }
        try reader.finish()
        self.images = images
    }
}
