internal import COpenSSL
package import SecureMemory

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
    package static let byteCount = 32

    /// The authentication code of `data`, 32 bytes.
    package static func authenticationCode(
        for data: borrowing some ByteSource & ~Copyable, key: borrowing some ByteSource & ~Copyable
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { output, written in
            write(data, key, to: output.baseAddress)
            written = byteCount
        }
    }

    /// The authentication code of `data` as a key, 32 bytes: HMAC as a pseudorandom function.
    package static func derivedKey(
        for data: borrowing some ByteSource & ~Copyable, key: borrowing some ByteSource & ~Copyable
    ) -> SecretBytes {
        SecretBytes(count: byteCount) { write(data, key, to: $0.bindMemory(to: UInt8.self).baseAddress) }
    }

    private static func write(
        _ data: borrowing some ByteSource & ~Copyable, _ key: borrowing some ByteSource & ~Copyable,
        to output: UnsafeMutablePointer<UInt8>?
    ) {
        data.withOctets { data, dataCount in
            key.withOctets { key, keyCount in
                var written = 0
                let end = EVP_Q_mac(
                    nil, "HMAC", nil, "SHA2-256", nil, key, keyCount, data, dataCount, output, byteCount, &written)
                mustSucceed(end != nil && written == byteCount, "HMAC-SHA-256")
            }
        }
    }

    /// Whether `code` is the authentication code of `data`, at full length. Compares in constant time.
    package static func isValid(
        _ code: borrowing some ByteSource & ~Copyable, for data: borrowing some ByteSource & ~Copyable,
        key: borrowing some ByteSource & ~Copyable
    ) -> Bool {
        ConstantTime.areEqual(code, authenticationCode(for: data, key: key))
    }
}
