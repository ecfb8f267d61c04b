internal import CPKCS11
internal import Glibc
internal import SecureMemory
internal import Synchronization

/// A loaded PKCS#11 module: its functions as Swift calls, which wait for the token.
///
/// A process can initialize a module once, so all tokens of a module share an instance. Names of functions, flags and
/// attributes are those of PKCS#11 2.40.
final class Cryptoki: @unchecked Sendable {
    // Sendable, because nothing changes after `init`, and the module is told to lock (CKF_OS_LOCKING_OK).

    typealias Session = CK_SESSION_HANDLE
    typealias Object = CK_OBJECT_HANDLE

    private let path: String
    private let library: UnsafeMutableRawPointer
    private let functions: CK_FUNCTION_LIST

    private static let loaded = Mutex<[String: (module: Cryptoki, users: Int)]>([:])

    /// The module, which is loaded for its first user.
    ///
    /// - Throws: `unusableModule`, `failed`.
    static func opened(_ path: String) throws(PKCS11Error) -> Cryptoki {
        try loaded.withLock { (loaded) throws(PKCS11Error) in
            let module = if let module = loaded[path]?.module { module } else { try Cryptoki(path: path) }
            loaded[path] = (module, (loaded[path]?.users ?? 0) + 1)
            return module
        }
    }

    /// Gives up the module. The last user unloads it (C_Finalize).
    func release() {
        Self.loaded.withLock { loaded in
            guard let users = loaded[path]?.users else { return }
            if users > 1 { return loaded[path] = (self, users - 1) }
            loaded[path] = nil
            _ = functions.C_Finalize(nil)
            dlclose(library)
        }
    }

    private init(path: String) throws(PKCS11Error) {
        guard path.hasPrefix("/") else { throw .unusableModule(path: path, reason: "its path must begin with /") }
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            throw .unusableModule(path: path, reason: dlerror().map { String(cString: $0) } ?? "unknown")
        }
        typealias GetFunctionList = @convention(c) (UnsafeMutablePointer<CK_FUNCTION_LIST_PTR?>) -> CK_RV
        guard let symbol = dlsym(library, "C_GetFunctionList") else {
            dlclose(library)
            throw .unusableModule(path: path, reason: "it has no function C_GetFunctionList")
        }
        var list: CK_FUNCTION_LIST_PTR?
        let status = unsafeBitCast(symbol, to: GetFunctionList.self)(&list)
        guard status == CKR_OK, let list else {
            dlclose(library)
            throw .failed(function: "C_GetFunctionList", returnValue: status)
        }
        self.path = path
        self.library = library
        functions = list.pointee
        var arguments = CK_C_INITIALIZE_ARGS()
        arguments.flags = CK_FLAGS(CKF_OS_LOCKING_OK)
        let initialized = functions.C_Initialize(&arguments)
        guard initialized == CKR_OK else {
            dlclose(library)
            throw .failed(function: "C_Initialize", returnValue: UInt(initialized))
        }
    }

    // MARK: - Tokens and sessions

    /// The slots with a token.
    func slots() throws(PKCS11Error) -> [CK_SLOT_ID] {
        var count: CK_ULONG = 0
        try Self.check("C_GetSlotList", functions.C_GetSlotList(1, nil, &count))
        var slots = [CK_SLOT_ID](repeating: 0, count: Int(count))
        try Self.check("C_GetSlotList", functions.C_GetSlotList(1, &slots, &count))
        return Array(slots.prefix(Int(count)))
    }

    func tokenInfo(_ slot: CK_SLOT_ID) throws(PKCS11Error) -> CK_TOKEN_INFO {
        var info = CK_TOKEN_INFO()
        try Self.check("C_GetTokenInfo", functions.C_GetTokenInfo(slot, &info))
        return info
    }

    func openSession(_ slot: CK_SLOT_ID) throws(PKCS11Error) -> Session {
        var session = Session()
        let flags = CK_FLAGS(CKF_SERIAL_SESSION | CKF_RW_SESSION)
        try Self.check("C_OpenSession", functions.C_OpenSession(slot, flags, nil, nil, &session))
        return session
    }

    /// - Throws: `pinRefused`, `pinLocked`, `failed`.
    func logIn(_ session: Session, pin: borrowing SecretBytes) throws(PKCS11Error) {
        let status = pin.withBytes { bytes in
            let pin = UnsafeMutablePointer(mutating: bytes.bindMemory(to: CK_UTF8CHAR.self).baseAddress)
            return functions.C_Login(session, CK_USER_TYPE(CKU_USER), pin, CK_ULONG(bytes.count))
        }
        switch status {
        case CKR_OK, CKR_USER_ALREADY_LOGGED_IN: return
        case CKR_PIN_INCORRECT, CKR_PIN_LEN_RANGE, CKR_PIN_INVALID: throw .pinRefused
        case CKR_PIN_LOCKED: throw .pinLocked
        default: throw .failed(function: "C_Login", returnValue: status)
        }
    }

    /// Ends a session, if the token still has it.
    func closeSession(_ session: Session) {
        _ = functions.C_CloseSession(session)
    }

    // MARK: - Objects

    /// At most `limit` objects that have all the attributes.
    func objects(_ session: Session, _ attributes: [Attribute], limit: Int) throws(PKCS11Error) -> [Object] {
        let status = Attribute.withTemplate(attributes) { template, count in
            functions.C_FindObjectsInit(session, template, count)
        }
        try Self.check("C_FindObjectsInit", status)
        var objects = [Object](repeating: 0, count: limit)
        var count: CK_ULONG = 0
        let found = functions.C_FindObjects(session, &objects, CK_ULONG(limit), &count)
        // The search must end also after an error, or the session can start no other one.
        try Self.check("C_FindObjectsFinal", functions.C_FindObjectsFinal(session))
        try Self.check("C_FindObjects", found)
        return Array(objects.prefix(Int(count)))
    }

    func generateAESKey(_ session: Session, _ attributes: [Attribute]) throws(PKCS11Error) -> Object {
        var mechanism = CK_MECHANISM()
        mechanism.mechanism = CK_MECHANISM_TYPE(CKM_AES_KEY_GEN)
        var object = Object()
        let status = Attribute.withTemplate(attributes) { template, count in
            functions.C_GenerateKey(session, &mechanism, template, count, &object)
        }
        try Self.check("C_GenerateKey", status)
        return object
    }

    func destroy(_ session: Session, _ object: Object) throws(PKCS11Error) {
        try Self.check("C_DestroyObject", functions.C_DestroyObject(session, object))
    }

    func createObject(_ session: Session, _ attributes: [Attribute]) throws(PKCS11Error) {
        var object = Object()
        let status = Attribute.withTemplate(attributes) { template, count in
            functions.C_CreateObject(session, template, count, &object)
        }
        try Self.check("C_CreateObject", status)
    }

    /// An attribute of bytes.
    func value(
        _ type: UInt, of object: Object, _ session: Session, byteLimit: Int
    ) throws(PKCS11Error) -> [UInt8] {
        var value = [UInt8](repeating: 0, count: byteLimit)
        var count = 0
        let status = value.withUnsafeMutableBytes { bytes in
            var attribute = CK_ATTRIBUTE(
                type: CK_ATTRIBUTE_TYPE(type), pValue: bytes.baseAddress, ulValueLen: CK_ULONG(bytes.count))
            let status = functions.C_GetAttributeValue(session, object, &attribute, 1)
            count = Int(clamping: attribute.ulValueLen)
            return status
        }
        try Self.check("C_GetAttributeValue", status)
        return Array(value.prefix(count))
    }

    /// A boolean attribute; nil if the object does not have it.
    func flag(_ type: UInt, of object: Object, _ session: Session) -> Bool? {
        var value: CK_BBOOL = 0
        let status = withUnsafeMutableBytes(of: &value) { bytes in
            var attribute = CK_ATTRIBUTE(
                type: CK_ATTRIBUTE_TYPE(type), pValue: bytes.baseAddress, ulValueLen: CK_ULONG(bytes.count))
            return functions.C_GetAttributeValue(session, object, &attribute, 1)
        }
        return status == CKR_OK ? value != 0 : nil
    }

    // MARK: - Signatures

    func generateKeyPair(
        _ session: Session, mechanism type: UInt, publicHalf: [Attribute], privateHalf: [Attribute]
    ) throws(PKCS11Error) -> (publicKey: Object, privateKey: Object) {
        var mechanism = CK_MECHANISM()
        mechanism.mechanism = CK_MECHANISM_TYPE(type)
        var (publicKey, privateKey) = (Object(), Object())
        let status = Attribute.withTemplate(publicHalf) { publicTemplate, publicCount in
            Attribute.withTemplate(privateHalf) { privateTemplate, privateCount in
                functions.C_GenerateKeyPair(
                    session, &mechanism, publicTemplate, publicCount, privateTemplate, privateCount, &publicKey,
                    &privateKey)
            }
        }
        try Self.check("C_GenerateKeyPair", status)
        return (publicKey, privateKey)
    }

    func sign(
        _ message: [UInt8], with key: Object, mechanism type: UInt, _ session: Session, byteLimit: Int
    ) throws(PKCS11Error) -> [UInt8] {
        var mechanism = CK_MECHANISM()
        mechanism.mechanism = CK_MECHANISM_TYPE(type)
        try Self.check("C_SignInit", functions.C_SignInit(session, &mechanism, key))
        var message = message
        var signature = [UInt8](repeating: 0, count: byteLimit)
        var count = CK_ULONG(byteLimit)
        try Self.check("C_Sign", functions.C_Sign(session, &message, CK_ULONG(message.count), &signature, &count))
        return Array(signature.prefix(Int(count)))
    }

    // MARK: - AES-GCM

    static let ivByteCount = 12
    static let tagByteCount = 16

    /// Encrypts with AES-GCM.
    ///
    /// - Parameter iv: 12 random bytes. Some tokens take their own instead.
    /// - Returns: the IV that the token took, and the ciphertext with its tag.
    func encrypt(
        _ plaintext: borrowing SecretBytes, with key: Object, iv: [UInt8], authenticating data: [UInt8],
        _ session: Session
    ) throws(PKCS11Error) -> (iv: [UInt8], ciphertext: [UInt8]) {
        var iv = iv
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count + Self.tagByteCount)
        var count = CK_ULONG(ciphertext.count)
        let (began, status) = plaintext.withBytes { bytes in
            Self.withGCM(&iv, data) { mechanism in
                let began = functions.C_EncryptInit(session, mechanism, key)
                guard began == CKR_OK else { return (began, began) }
                let input = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
                return (began, functions.C_Encrypt(session, input, CK_ULONG(bytes.count), &ciphertext, &count))
            }
        }
        try Self.check("C_EncryptInit", began)
        try Self.check("C_Encrypt", status)
        return (iv, Array(ciphertext.prefix(Int(count))))
    }

    /// Opens what ``encrypt(_:with:iv:authenticating:_:)`` made.
    ///
    /// - Throws: `damagedValue` if it does not authenticate.
    func decrypt(
        _ ciphertext: [UInt8], with key: Object, iv: [UInt8], authenticating data: [UInt8], _ session: Session
    ) throws(PKCS11Error) -> SecretBytes {
        var (iv, ciphertext) = (iv, ciphertext)
        var (began, status): (CK_RV, CK_RV) = (CK_RV(CKR_OK), CK_RV(CKR_OK))
        let plaintext = SecretBytes(capacity: ciphertext.count) { output in
            var count = CK_ULONG(output.count)
            (began, status) = Self.withGCM(&iv, data) { mechanism in
                let began = functions.C_DecryptInit(session, mechanism, key)
                guard began == CKR_OK else { return (began, began) }
                let bytes = output.bindMemory(to: UInt8.self).baseAddress
                return (began, functions.C_Decrypt(session, &ciphertext, CK_ULONG(ciphertext.count), bytes, &count))
            }
            return status == CKR_OK ? Int(count) : 0
        }
        try Self.check("C_DecryptInit", began)
        // Tokens report a wrong tag in different ways; SoftHSM 2 has CKR_GENERAL_ERROR for it.
        switch status {
        case CKR_ENCRYPTED_DATA_INVALID, CKR_ENCRYPTED_DATA_LEN_RANGE, CKR_DATA_INVALID, CKR_GENERAL_ERROR:
            throw .damagedValue
        default: try Self.check("C_Decrypt", status)
        }
        return plaintext
    }

    private static func withGCM<Result>(
        _ iv: inout [UInt8], _ data: [UInt8], _ body: (UnsafeMutablePointer<CK_MECHANISM>) -> Result
    ) -> Result {
        var data = data
        return iv.withUnsafeMutableBufferPointer { iv in
            data.withUnsafeMutableBufferPointer { data in
                var parameters = CK_GCM_PARAMS()
                parameters.pIv = iv.baseAddress
                parameters.ulIvLen = CK_ULONG(iv.count)
                parameters.ulIvBits = CK_ULONG(iv.count * 8)
                parameters.pAAD = data.baseAddress
                parameters.ulAADLen = CK_ULONG(data.count)
                parameters.ulTagBits = CK_ULONG(tagByteCount * 8)
                return withUnsafeMutableBytes(of: &parameters) { parameters in
                    var mechanism = CK_MECHANISM(
                        mechanism: CK_MECHANISM_TYPE(CKM_AES_GCM), pParameter: parameters.baseAddress,
                        ulParameterLen: CK_ULONG(parameters.count))
                    return body(&mechanism)
                }
            }
        }
    }

    private static func check(_ function: String, _ status: CK_RV) throws(PKCS11Error) {
        guard status == CKR_OK else { throw .failed(function: function, returnValue: UInt(status)) }
    }
}
