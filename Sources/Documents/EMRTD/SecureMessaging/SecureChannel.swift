package import Cryptography
internal import SecureMemory

/// Why an answer of a chip is refused. After ``unprotected`` the chip has given up the channel. After the others it may still
/// use it, but its answer cannot be trusted.
package enum SecureMessagingError: Error, Hashable, Sendable {
    /// The answer has no protection: an error of the chip, or of the connection to it.
    case unprotected(StatusWord)
    /// The answer has a wrong form, or elements are missing.
    case malformed
    /// The MAC is wrong: the answer was changed, or comes from another chip.
    case wrongAuthenticationCode
    /// The status outside is not the authenticated one.
    case wrongStatus
    /// OpenSSL failed.
    case engineFailure
}

/// Secure messaging on the reader's side (Doc 9303-11 section 9.8): protects commands and checks answers. Each call
/// increments the counter.
package struct SecureChannel: Sendable {
    package let keys: SessionKeys
    package private(set) var counter: SendSequenceCounter

    /// - Parameter counter: as it was after the last answer; zero by default, as after a change of keys.
    package init(keys: SessionKeys, counter: SendSequenceCounter? = nil) {
        self.keys = keys
        self.counter =
            counter ?? SendSequenceCounter(bytes: [UInt8](repeating: 0, count: keys.cipher.blockByteCount))
    }

    /// The most data that a protected command with short lengths has room for.
    package var longestShortData: Int { longestData(inBodyOf: 255) }

    /// The most data that a protected command body of this size has room for: after DO8E (10 bytes) and DO97 (4 at most), the
    /// header of DO87 (4 at most) and the indicator, whole blocks with one byte of padding at least.
    func longestData(inBodyOf bodyCount: Int) -> Int {
        let block = keys.cipher.blockByteCount
        return max((bodyCount - 19) / block * block - 1, 0)
    }

    /// Protects a command: DO87 (or DO85) with the encrypted data, DO97 with the expected count, DO8E with the MAC. The
    /// lengths outside are extended only if these do not fit into short ones.
    package mutating func protect(_ command: CommandAPDU) throws(CryptographyError) -> [UInt8] {
        counter.increment()
        let header = [command.instructionClass | 0x0C] + command.header.dropFirst()
        var objects: [UInt8] = []
        if !command.data.isEmpty {
            let padded = Octets(copying: Padding.pad(command.data, keys.cipher.blockByteCount))
            let cryptogram = try keys.encrypt(padded, counter)
            objects +=
                command.hasOddInstruction
                ? DERWriter.element(0x85, cryptogram) : DERWriter.element(0x87, [1] + cryptogram)
        }
        if let expected = command.expectedCount {
            let bytes = UInt16(truncatingIfNeeded: expected).bigEndianBytes
            objects += DERWriter.element(0x97, expected <= 256 ? [bytes[1]] : bytes)
        }
        let block = keys.cipher.blockByteCount
        let paddedHeader = Padding.pad(header, block)
        let message = counter.bytes + (objects.isEmpty ? paddedHeader : Padding.pad(paddedHeader + objects, block))
        let body = objects + DERWriter.element(0x8E, try keys.authenticationCode(of: message))
        return body.count <= 255
            ? header + [UInt8(body.count)] + body + [0]
            : header + [0] + UInt16(truncatingIfNeeded: body.count).bigEndianBytes + body + [0, 0]
    }

    /// Checks an answer and decrypts it.
    package mutating func unprotect(_ response: Octets) throws(SecureMessagingError) -> ResponseAPDU {
        counter.increment()
        guard let outer = try? ResponseAPDU(response) else { throw .malformed }
        guard !outer.data.isEmpty else { throw .unprotected(outer.status) }
        guard let objects = try? ResponseObjects(outer.data) else { throw .malformed }
        let message = Padding.pad(counter.bytes + objects.authenticated.bytes, keys.cipher.blockByteCount)
        guard let code = try? keys.authenticationCode(of: message) else { throw .engineFailure }
        guard ConstantTime.areEqual(code, objects.authenticationCode) else { throw .wrongAuthenticationCode }
        guard objects.status == outer.status else { throw .wrongStatus }
        guard let cryptogram = objects.cryptogram else {
            return ResponseAPDU(data: Octets(copying: [UInt8]()), status: outer.status)
        }
        guard let padded = try? keys.decrypt(cryptogram, counter), let data = Padding.unpad(Octets(padded)) else {
            throw .malformed
        }
        return ResponseAPDU(data: data, status: outer.status)
    }
}

/// The elements of a protected answer, in their order: DO87 or DO85, DO99, DO8E.
private struct ResponseObjects {
    let cryptogram: Octets?
    let status: StatusWord
    let authenticationCode: [UInt8]
    /// The elements that the MAC is about.
    let authenticated: Octets

    init(_ data: Octets) throws(FormatError) {
        var reader = try TLVReader(data)
        if let element = try reader.readIf(0x87) {
            guard element.content.first == 1 else { throw FormatError("the padding of DO87 is unknown") }
            cryptogram = element.content.dropFirst()
        } else {
            cryptogram = try reader.readIf(0x85)?.content
        }
        let statusBytes = try reader.read(0x99).content
        guard statusBytes.count == 2 else { throw FormatError("DO99 is not two bytes") }
        status = StatusWord(statusBytes)
        let code = try reader.read(0x8E)
        try reader.finish()
        guard code.content.count == 8 else { throw FormatError("DO8E is not eight bytes") }
        authenticationCode = code.content.bytes
        authenticated = data.dropLast(code.encoded.count)
    }
}

/// The padding of secure messaging: a byte `80` and as many zeros as needed (ISO/IEC 9797-1, method 2).
package enum Padding {
    package static func pad(_ bytes: [UInt8], _ blockByteCount: Int) -> [UInt8] {
        let zeros = blockByteCount - 1 - bytes.count % blockByteCount
        return bytes + [0x80] + [UInt8](repeating: 0, count: zeros)
    }

    /// Nil if the padding is missing.
    package static func unpad(_ bytes: Octets) -> Octets? {
        let trimmed = bytes.trimmingEnd(of: 0)
        return trimmed.last == 0x80 ? trimmed.dropLast() : nil
    }
}
