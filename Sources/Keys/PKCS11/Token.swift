internal import CPKCS11
package import SecureMemory

/// A PKCS#11 token, such as a partition of an HSM, with AES keys that never leave it.
///
/// It connects when it is first needed, and again after each failure.
package final class Token: Sendable {
    /// Where the token is.
    package struct Address: Sendable, Equatable {
        /// The path of the vendor's module.
        package let modulePath: String
        /// The token's label (CKA_LABEL of the token, without the spaces at its end).
        package let label: String

        package init(modulePath: String, label: String) {
            self.modulePath = modulePath
            self.label = label
        }
    }

    /// Who decides that the PIN is tried.
    package enum LogIn: Sendable {
        /// No one: a server starts or connects again. The PIN is not tried after a wrong one.
        case automatic
        /// A person. `acceptsLastTry`: the PIN is tried even if the token locks it when it is wrong.
        case person(acceptsLastTry: Bool)
    }

    package let address: Address
    private let thread = TokenThread()
    private let connection: TokenConnection

    package init(_ address: Address) {
        self.address = address
        connection = TokenConnection(address)
    }

    /// Connects to the token and logs in, unless it is connected.
    ///
    /// - Throws: `PKCS11Error`.
    package func logIn(_ pin: SharedSecret, by decision: LogIn) async throws(PKCS11Error) {
        try await run { (connection) throws(PKCS11Error) in try connection.logIn(pin, by: decision) }
    }

    /// Makes an AES-256 key that stays on the token, only encrypts and decrypts, and cannot be copied, and reads its attributes back.
    ///
    /// - Parameter id: its CKA_ID.
    /// - Throws: `wrongAttribute` if the token gave it other attributes; then it is destroyed again.
    package func makeKey(id: [UInt8], label: String) async throws(PKCS11Error) {
        try await run { (connection) throws(PKCS11Error) in try connection.makeKey(id: id, label: label) }
    }

    /// Whether the token has the key, with the attributes that it must have.
    ///
    /// - Throws: `severalKeys`, `wrongAttribute`.
    package func hasKey(id: [UInt8]) async throws(PKCS11Error) -> Bool {
        try await run { (connection) throws(PKCS11Error) in try connection.key(id: id) != nil }
    }

    /// Removes a key from the token. What it has sealed can never be opened again.
    ///
    /// - Returns: false if the token does not have it.
    package func destroyKey(id: [UInt8]) async throws(PKCS11Error) -> Bool {
        try await run { (connection) throws(PKCS11Error) in try connection.destroyKey(id: id) }
    }

    /// Seals a value with AES-256-GCM.
    ///
    /// - Returns: IV (12 bytes), ciphertext, tag (16 bytes).
    package func seal(
        _ value: SharedSecret, keyId: [UInt8], iv: [UInt8], authenticating data: [UInt8]
    ) async throws(PKCS11Error) -> [UInt8] {
        try await run { (connection) throws(PKCS11Error) in
            try connection.seal(value, keyId: keyId, iv: iv, authenticating: data)
        }
    }

    /// Opens what ``seal(_:keyId:iv:authenticating:)`` made.
    ///
    /// - Throws: `damagedValue` if it was changed.
    package func open(
        _ sealed: [UInt8], keyId: [UInt8], authenticating data: [UInt8]
    ) async throws(PKCS11Error) -> SharedSecret {
        try await run { (connection) throws(PKCS11Error) in
            try connection.open(sealed, keyId: keyId, authenticating: data)
        }
    }

    /// The values of the data objects of a label.
    ///
    /// - Throws: `PKCS11Error`, also if there are more or longer objects than the limits allow.
    package func data(label: String, byteLimit: Int, limit: Int) async throws(PKCS11Error) -> [[UInt8]] {
        try await run { (connection) throws(PKCS11Error) in
            try connection.data(label: label, byteLimit: byteLimit, limit: limit)
        }
    }

    /// Stores a data object, and then removes the other ones of its label.
    package func replaceData(_ value: [UInt8], label: String, limit: Int) async throws(PKCS11Error) {
        try await run { (connection) throws(PKCS11Error) in
            try connection.replaceData(value, label: label, limit: limit)
        }
    }

    /// Runs `body` with the connection, on the token's thread.
    func run<Result: Sendable>(
        _ body: @Sendable @escaping (TokenConnection) throws(PKCS11Error) -> Result
    ) async throws(PKCS11Error) -> Result {
        try await thread.run { [connection] () throws(PKCS11Error) in try body(connection) }
    }

    /// Logs out and unloads the module (C_Finalize). The next ``logIn(_:by:)`` loads it again.
    package func close() async {
        try? await thread.run(isLimited: false) { [connection] in connection.close() }
    }
}
