internal import COpenSSL
internal import SecureMemory

// How this module calls OpenSSL: 1 means success. Anything else clears the error queue and throws.

/// Throws `code` unless an OpenSSL function returned 1.
func require(_ status: Int32, orThrow code: CryptographyError.Code) throws(CryptographyError) {
    guard status == 1 else { throw failure(code) }
}

/// Throws `code` if an OpenSSL function returned null.
///
/// - Returns: what the function made. The caller must free it.
func require<Made>(
    _ made: Made?, orThrow code: CryptographyError.Code = .engineFailure
) throws(CryptographyError) -> Made {
    guard let made else { throw failure(code) }
    return made
}

/// Clears OpenSSL's error queue, and returns the error to throw.
func failure(_ code: CryptographyError.Code) -> CryptographyError {
    ERR_clear_error()
    return CryptographyError(code)
}

/// Stops the process if OpenSSL lacks something essential, such as SHA-256 or random numbers: there is no safe way to
/// continue.
func mustSucceed(_ succeeded: Bool, _ operation: StaticString) {
    precondition(succeeded, "OpenSSL cannot do \(operation)")
}

/// The public bytes that `write` produces. `write` gets a buffer and its size; it can lower the size, and returns 1 for
/// success.
func publicOutput(
    capacity: Int, orThrow code: CryptographyError.Code,
    _ write: (UnsafeMutablePointer<UInt8>, inout Int) -> Int32
) throws(CryptographyError) -> [UInt8] {
    var status: Int32 = 0
    let output = [UInt8](unsafeUninitializedCapacity: max(capacity, 1)) { buffer, count in
        guard let base = buffer.baseAddress else { return }
        var written = capacity
        status = write(base, &written)
        count = status == 1 ? written : 0
    }
    try require(status, orThrow: code)
    return output
}

/// The secret bytes that `write` produces. `write` gets a buffer and its size; it can lower the size, and returns 1 for
/// success.
func secretOutput(
    capacity: Int, orThrow code: CryptographyError.Code,
    _ write: (UnsafeMutablePointer<UInt8>, inout Int) -> Int32
) throws(CryptographyError) -> SecretBytes {
    try SecretBytes(capacity: max(capacity, 1)) { (buffer) throws(CryptographyError) in
        let base = try require(buffer.bindMemory(to: UInt8.self).baseAddress)
        var written = capacity
        try require(write(base, &written), orThrow: code)
        return written
    }
}

extension UnsafeRawBufferPointer {
    /// The address of the first byte. Never null, because null means "not given" to OpenSSL.
    var octets: UnsafePointer<UInt8> {
        baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(Self.nothing)
    }

    // Never written, never freed.
    nonisolated(unsafe) private static let nothing = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
}

extension ByteSource where Self: ~Copyable {
    /// Calls `body` with the address (never null) and the number of the bytes.
    borrowing func withOctets<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafePointer<UInt8>, Int) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withBytes { (bytes) throws(Failure) in try body(bytes.octets, bytes.count) }
    }

    var octetCount: Int {
        withBytes { $0.count }
    }

    borrowing func publicCopy() -> [UInt8] {
        withBytes { [UInt8]($0) }
    }
}

/// Algorithms, fetched once per process from OpenSSL's default library context. A provider that the operator
/// configures (FIPS) is therefore used.
enum Fetched {
    nonisolated(unsafe) static let sha1 = EVP_MD_fetch(nil, "SHA1", nil)
    nonisolated(unsafe) static let sha224 = EVP_MD_fetch(nil, "SHA2-224", nil)
    nonisolated(unsafe) static let sha256 = EVP_MD_fetch(nil, "SHA2-256", nil)
    nonisolated(unsafe) static let sha384 = EVP_MD_fetch(nil, "SHA2-384", nil)
    nonisolated(unsafe) static let sha512 = EVP_MD_fetch(nil, "SHA2-512", nil)
    nonisolated(unsafe) static let aes256GCM = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    nonisolated(unsafe) static let aes128ECB = EVP_CIPHER_fetch(nil, "AES-128-ECB", nil)
    nonisolated(unsafe) static let aes192ECB = EVP_CIPHER_fetch(nil, "AES-192-ECB", nil)
    nonisolated(unsafe) static let aes256ECB = EVP_CIPHER_fetch(nil, "AES-256-ECB", nil)
    nonisolated(unsafe) static let aes128CBC = EVP_CIPHER_fetch(nil, "AES-128-CBC", nil)
    nonisolated(unsafe) static let aes192CBC = EVP_CIPHER_fetch(nil, "AES-192-CBC", nil)
    nonisolated(unsafe) static let aes256CBC = EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)
    nonisolated(unsafe) static let tripleDESECB = EVP_CIPHER_fetch(nil, "DES-EDE3-ECB", nil)
    nonisolated(unsafe) static let tripleDESCBC = EVP_CIPHER_fetch(nil, "DES-EDE3-CBC", nil)
    nonisolated(unsafe) static let aes256Wrap = EVP_CIPHER_fetch(nil, "AES-256-WRAP", nil)
    nonisolated(unsafe) static let singleStepKDF = EVP_KDF_fetch(nil, "SSKDF", nil)
    /// HMAC with SHA-256, without a key: for copies.
    nonisolated(unsafe) static let hmacSHA256 = card_companion_hmac_sha256()
}
