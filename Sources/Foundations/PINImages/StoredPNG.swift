internal import CZlib
internal import SecureMemory

/// Writes images with secret content as PNG files (ISO/IEC 15948) of four colors. The pixels are stored, not compressed: so
/// the length of a file, and the work of writing it, depend only on the size of the image.
struct StoredPNG {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let bitDepth: UInt8 = 2
    private static let paletteColorType: UInt8 = 3
    /// Length, type and checksum of a chunk.
    private static let chunkFrameByteCount = 12
    /// zlib's header (RFC 1950): deflate with a window of 32 KiB, and without compression.
    private static let streamHeader: [UInt8] = [0x78, 0x01]
    private static let streamChecksumByteCount = 4
    /// The header of a stored block (RFC 1951, section 3.2.4): whether it is the last one, its length twice.
    private static let blockHeaderByteCount = 5
    private static let largestBlockByteCount = 0xFFFF

    private let size: PixelSize

    private init(_ size: PixelSize) {
        self.size = size
    }

    /// The length of the file of an image.
    static func byteCount(_ size: PixelSize) -> Int {
        let header = 13
        let palette = 3 * InkPalette.count
        return signature.count + 4 * chunkFrameByteCount + header + palette + StoredPNG(size).streamByteCount
    }

    /// - Parameter pixels: indexes into the palette, one byte each, without gaps between rows.
    static func encode(_ pixels: borrowing SecretBytes, size: PixelSize, palette: InkPalette) -> SecretBytes {
        let encoded = pixels.withBytes { pixels in
            SecretBytes(count: byteCount(size), in: .ordinary) { bytes in
                var output = Output(bytes: bytes)
                StoredPNG(size).write(pixels, palette, to: &output)
                precondition(output.count == bytes.count, "the file must have the length that was computed")
            }
        }
        VectorRegisters.wipe()
        return encoded
    }

    private func write(_ pixels: UnsafeRawBufferPointer, _ palette: InkPalette, to output: inout Output) {
        output.append(Self.signature)
        output.appendChunk("IHDR") { output in
            output.append(bigEndian: UInt32(size.width))
            output.append(bigEndian: UInt32(size.height))
            // Compression, filter and interlace have the only or simplest method, 0.
            output.append([Self.bitDepth, Self.paletteColorType, 0, 0, 0])
        }
        output.appendChunk("PLTE") { output in
            for color in palette.colors { output.append([color.red, color.green, color.blue]) }
        }
        output.appendChunk("IDAT") { writeStream(pixels, to: &$0) }
        output.appendChunk("IEND") { _ in }
    }

    // MARK: - The zlib stream

    /// The filter type, 0, and the pixels.
    private var rowByteCount: Int { 1 + (size.width * Int(Self.bitDepth) + 7) / 8 }
    private var rowsPerBlock: Int { Self.largestBlockByteCount / rowByteCount }
    private var blockCount: Int { (size.height + rowsPerBlock - 1) / rowsPerBlock }

    private var streamByteCount: Int {
        Self.streamHeader.count + blockCount * Self.blockHeaderByteCount + size.height * rowByteCount
            + Self.streamChecksumByteCount
    }

    private func writeStream(_ pixels: UnsafeRawBufferPointer, to output: inout Output) {
        output.append(Self.streamHeader)
        var checksum = adler32(0, nil, 0)
        for firstRow in stride(from: 0, to: size.height, by: rowsPerBlock) {
            let rows = firstRow..<min(firstRow + rowsPerBlock, size.height)
            let length = UInt16(rows.count * rowByteCount)
            output.append([rows.upperBound == size.height ? 1 : 0])
            output.append(littleEndian: length)
            output.append(littleEndian: ~length)
            let start = output.count
            for row in rows { writeRow(pixels[row * size.width..<(row + 1) * size.width], to: &output) }
            checksum = output.adler(checksum, from: start)
        }
        output.append(bigEndian: UInt32(checksum))
    }

    private func writeRow(_ pixels: Slice<UnsafeRawBufferPointer>, to output: inout Output) {
        output.append([0])
        let row = UnsafeRawBufferPointer(rebasing: pixels)
        let whole = row.count / 4 * 4
        for start in stride(from: 0, to: whole, by: 4) {
            output.append(row[start] << 6 | row[start + 1] << 4 | row[start + 2] << 2 | row[start + 3])
        }
        guard whole < row.count else { return }
        output.append((whole..<row.count).reduce(0) { $0 | row[$1] << UInt8(6 - 2 * ($1 - whole)) })
    }

    /// Memory that is filled from its start.
    private struct Output {
        let bytes: UnsafeMutableRawBufferPointer
        private(set) var count = 0

        init(bytes: UnsafeMutableRawBufferPointer) {
            self.bytes = bytes
        }

        mutating func append(_ byte: UInt8) {
            bytes[count] = byte
            count += 1
        }

        mutating func append(_ values: [UInt8]) {
            for value in values { append(value) }
        }

        mutating func append(bigEndian value: UInt32) {
            for shift in [24, 16, 8, 0] as [UInt32] { append(UInt8(truncatingIfNeeded: value >> shift)) }
        }

        mutating func append(littleEndian value: UInt16) {
            append(UInt8(truncatingIfNeeded: value))
            append(UInt8(truncatingIfNeeded: value >> 8))
        }

        mutating func appendChunk(_ type: String, _ writeData: (inout Output) -> Void) {
            let start = count
            append(bigEndian: 0)
            append(Array(type.utf8))
            writeData(&self)
            let end = count
            count = start
            append(bigEndian: UInt32(end - start - 8))
            count = end
            let covered = bytes[start + 4..<end]
            append(bigEndian: UInt32(crc32(0, UnsafeRawBufferPointer(rebasing: covered).bytef, uInt(covered.count))))
        }

        /// Goes on with the checksum of RFC 1950 over the bytes from `start`.
        func adler(_ checksum: uLong, from start: Int) -> uLong {
            let covered = UnsafeRawBufferPointer(rebasing: bytes[start..<count])
            return adler32(checksum, covered.bytef, uInt(covered.count))
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var bytef: UnsafePointer<Bytef>? { baseAddress?.assumingMemoryBound(to: Bytef.self) }
}
