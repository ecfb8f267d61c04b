internal import CPNG
internal import SecureMemory

/// Encodes images with secret content. All memory of libpng and zlib is wiped when they free it, and the vector registers in
/// the end.
enum PNGEncoder {
    /// - Parameter pixels: indexes into the palette, one byte each, without gaps between rows.
    /// - Throws: `.drawingFailed`.
    static func encode(
        _ pixels: borrowing SecretBytes, size: PixelSize, palette: InkPalette
    ) throws(PINImageError) -> SecretBytes {
        let roomy = try SecretBytes(capacity: largestEncodedByteCount(size)) { (room) throws(PINImageError) in
            var output = Output(room: room)
            guard write(pixels, size: size, palette: palette, to: &output), !output.isFull else {
                throw .drawingFailed
            }
            return output.count
        }
        let encoded = roomy.copy()
        WipedMemory.wipeVectorRegisters()
        return encoded
    }

    /// An upper bound: the pixels without compression, and the other parts of the file.
    private static func largestEncodedByteCount(_ size: PixelSize) -> Int {
        (size.width / 2 + 2) * size.height + 1024
    }

    /// The buffer for the encoded bytes.
    private struct Output {
        let room: UnsafeMutableRawBufferPointer
        var count = 0
        var isFull = false

        mutating func append(_ bytes: UnsafeRawBufferPointer) {
            guard bytes.count <= room.count - count else { return isFull = true }
            UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: bytes)
            count += bytes.count
        }
    }

    private static func write(
        _ pixels: borrowing SecretBytes, size: PixelSize, palette: InkPalette, to output: inout Output
    ) -> Bool {
        let colors = palette.colors.map { png_color(red: $0.red, green: $0.green, blue: $0.blue) }
        return pixels.withBytes { pixels in
            colors.withUnsafeBufferPointer { colors in
                var image = card_companion_png_image(
                    pixels: pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), width: UInt32(size.width),
                    height: UInt32(size.height), palette: colors.baseAddress,
                    palette_count: Int32(colors.count))
                return card_companion_png_write(
                    &image, { _, count in WipedMemory.allocate(Int(count)) }, { _, base in WipedMemory.free(base) },
                    { png, bytes, count in
                        png_get_io_ptr(png)?.assumingMemoryBound(to: Output.self).pointee
                            .append(UnsafeRawBufferPointer(start: bytes, count: count))
                    }, &output)
            }
        }
    }
}
