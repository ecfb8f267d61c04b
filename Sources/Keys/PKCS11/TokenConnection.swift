internal import CPKCS11
internal import SecureMemory

/// The connection of one token. Only the token's thread uses it.
final class TokenConnection: @unchecked Sendable {
    // Sendable, because TokenThread runs one call at a time.

    struct Open {
        let module: Cryptoki
        let session: Cryptoki.Session
        var keys: [[UInt8]: Cryptoki.Object] = [:]
    }

    private let address: Token.Address
    private var open: Open?
    /// A PIN that the token has refused. It is never tried again, not even by a call that was waiting then.
    private var refused: SharedSecret?

    init(_ address: Token.Address) {
        self.address = address
    }

    func logIn(_ pin: SharedSecret, by decision: Token.LogIn) throws(PKCS11Error) {
        guard open == nil else { return }
        guard refused !== pin else { throw .pinRefused }
        let module = try Cryptoki.opened(address.modulePath)
        do throws(PKCS11Error) {
            let slot = try slot(module)
            try Self.check(try module.tokenInfo(slot).flags, decision)
            let session = try module.openSession(slot)
            do throws(PKCS11Error) {
                try module.logIn(session, pin: pin.bytes)
            } catch {
                if error == .pinRefused { refused = pin }
                module.closeSession(session)
                throw error
            }
            open = Open(module: module, session: session)
        } catch {
            module.release()
            throw error
        }
    }

    func close() {
        guard let open else { return }
        open.module.closeSession(open.session)
        open.module.release()
        self.open = nil
    }

    func makeKey(id: [UInt8], label: String) throws(PKCS11Error) {
        try connected { (open) throws(PKCS11Error) in
            let attributes =
                Self.search(id) + [
                    .number(CKA_VALUE_LEN, Self.keyByteCount), .bytes(CKA_LABEL, Array(label.utf8)),
                    .flag(CKA_PRIVATE, true),
                ] + Self.masterKeyRights.map { .flag($0.type, $0.isSet) }
            let key = try Self.withoutCopies { (more) throws(PKCS11Error) in
                try open.module.generateAESKey(open.session, attributes + more)
            }
            do throws(PKCS11Error) {
                try Self.checkAttributes(of: key, Self.masterKeyRights + Self.origin, open)
                try Self.checkAttributes(of: key, [Self.notCopyable], open, isComplete: false)
            } catch {
                try open.module.destroy(open.session, key)
                throw error
            }
        }
    }

    /// The key with that CKA_ID; nil if there is none.
    func key(id: [UInt8]) throws(PKCS11Error) -> Cryptoki.Object? {
        try connected { (open) throws(PKCS11Error) in
            if let known = open.keys[id] { return known }
            let found = try open.module.objects(open.session, Self.search(id), limit: 2)
            guard found.count < 2 else { throw .severalKeys(id: HexDigits.text(of: id)) }
            guard let key = found.first else { return nil }
            try Self.checkAttributes(of: key, Self.masterKeyRights + Self.origin, open)
            open.keys[id] = key
            return key
        }
    }

    func destroyKey(id: [UInt8]) throws(PKCS11Error) -> Bool {
        guard let key = try key(id: id) else { return false }
        try connected { (open) throws(PKCS11Error) in
            open.keys[id] = nil
            try open.module.destroy(open.session, key)
        }
        return true
    }

    func seal(
        _ value: SharedSecret, keyId: [UInt8], iv: [UInt8], authenticating data: [UInt8]
    ) throws(PKCS11Error) -> [UInt8] {
        let key = try requireKey(keyId)
        return try connected { (open) throws(PKCS11Error) in
            let sealed = try open.module.encrypt(value.bytes, with: key, iv: iv, authenticating: data, open.session)
            return sealed.iv + sealed.ciphertext
        }
    }

    func open(_ sealed: [UInt8], keyId: [UInt8], authenticating data: [UInt8]) throws(PKCS11Error) -> SharedSecret {
        guard sealed.count >= Cryptoki.ivByteCount + Cryptoki.tagByteCount else { throw .damagedValue }
        let key = try requireKey(keyId)
        return try connected { (open) throws(PKCS11Error) in
            SharedSecret(
                try open.module.decrypt(
                    Array(sealed.dropFirst(Cryptoki.ivByteCount)), with: key,
                    iv: Array(sealed.prefix(Cryptoki.ivByteCount)), authenticating: data, open.session))
        }
    }

    // MARK: - Data

    /// Only the token's user sees the objects, and no one can change them in place.
    private static func dataAttributes(_ label: String) -> [Attribute] {
        [
            .number(CKA_CLASS, UInt(CKO_DATA)), .flag(CKA_TOKEN, true), .flag(CKA_PRIVATE, true),
            .bytes(CKA_LABEL, Array(label.utf8)),
        ]
    }

    func data(label: String, byteLimit: Int, limit: Int) throws(PKCS11Error) -> [[UInt8]] {
        try connected { (open) throws(PKCS11Error) in
            let found = try open.module.objects(open.session, Self.dataAttributes(label), limit: limit)
            var values: [[UInt8]] = []
            for object in found {
                values.append(try open.module.value(CKA_VALUE, of: object, open.session, byteLimit: byteLimit))
            }
            return values
        }
    }

    func replaceData(_ value: [UInt8], label: String, limit: Int) throws(PKCS11Error) {
        try connected { (open) throws(PKCS11Error) in
            let attributes = Self.dataAttributes(label)
            let old = try open.module.objects(open.session, attributes, limit: limit)
            try open.module.createObject(
                open.session, attributes + [.flag(CKA_MODIFIABLE, false), .bytes(CKA_VALUE, value)])
            for object in old { try open.module.destroy(open.session, object) }
        }
    }

    // MARK: - The connection

    /// Runs `body` with the connection. After a failure of the token the connection is given up: the token may have been
    /// away, and a new connection finds out.
    func connected<Result>(
        _ body: (inout Open) throws(PKCS11Error) -> Result
    ) throws(PKCS11Error) -> Result {
        guard var open else { throw .failed(function: "C_Login", returnValue: UInt(CKR_USER_NOT_LOGGED_IN)) }
        do throws(PKCS11Error) {
            let result = try body(&open)
            self.open = open
            return result
        } catch {
            switch error {
            // A token can say "damaged" when it is lost.
            case .failed, .damagedValue: close()
            default: break
            }
            throw error
        }
    }

    private func slot(_ module: Cryptoki) throws(PKCS11Error) -> CK_SLOT_ID {
        var found: [CK_SLOT_ID] = []
        for slot in try module.slots() where Self.label(try module.tokenInfo(slot)) == address.label {
            found.append(slot)
        }
        guard let slot = found.first else { throw .noToken(label: address.label) }
        guard found.count == 1 else { throw .severalTokens(label: address.label) }
        return slot
    }

    private static func label(_ info: CK_TOKEN_INFO) -> String {
        withUnsafeBytes(of: info.label) { bytes in
            let text = bytes.reversed().drop { $0 == UInt8(ascii: " ") }
            return String(decoding: text.reversed(), as: UTF8.self)
        }
    }

    /// Whether a PIN may be tried.
    private static func check(_ flags: CK_FLAGS, _ decision: Token.LogIn) throws(PKCS11Error) {
        func has(_ flag: UInt) -> Bool { UInt(flags) & flag != 0 }
        guard !has(CKF_USER_PIN_LOCKED) else { throw .pinLocked }
        switch decision {
        case .automatic:
            guard !has(CKF_USER_PIN_FINAL_TRY) else { throw .lastTry }
            guard !has(CKF_USER_PIN_COUNT_LOW) else { throw .wrongPINBefore }
        case .person(let acceptsLastTry):
            guard acceptsLastTry || !has(CKF_USER_PIN_FINAL_TRY) else { throw .lastTry }
        }
    }

    // MARK: - Keys

    private static let keyByteCount: UInt = 32

    /// What a key can do, or how it is protected.
    typealias Right = (type: UInt, name: String, isSet: Bool)

    private static let masterKeyRights: [Right] = [
        (CKA_SENSITIVE, "CKA_SENSITIVE", true),
        (CKA_EXTRACTABLE, "CKA_EXTRACTABLE", false),
        (CKA_MODIFIABLE, "CKA_MODIFIABLE", false),
        (CKA_ENCRYPT, "CKA_ENCRYPT", true),
        (CKA_DECRYPT, "CKA_DECRYPT", true),
        (CKA_WRAP, "CKA_WRAP", false),
        (CKA_UNWRAP, "CKA_UNWRAP", false),
        (CKA_SIGN, "CKA_SIGN", false),
        (CKA_VERIFY, "CKA_VERIFY", false),
        (CKA_DERIVE, "CKA_DERIVE", false),
    ]

    /// What only the token can say: that the key was made on it, and could never be read.
    static let origin: [Right] = [
        (CKA_LOCAL, "CKA_LOCAL", true),
        (CKA_ALWAYS_SENSITIVE, "CKA_ALWAYS_SENSITIVE", true),
        (CKA_NEVER_EXTRACTABLE, "CKA_NEVER_EXTRACTABLE", true),
    ]

    /// - Parameter isComplete: false if the token can leave attributes out.
    static func checkAttributes(
        of key: Cryptoki.Object, _ rights: [Right], _ open: Open, isComplete: Bool = true
    ) throws(PKCS11Error) {
        for attribute in rights {
            let value = open.module.flag(attribute.type, of: key, open.session)
            guard value == attribute.isSet || (value == nil && !isComplete) else {
                let text = value.map { $0 ? "true" : "false" } ?? "missing"
                throw .wrongAttribute(name: "\(attribute.name) is \(text)")
            }
        }
    }

    static let notCopyable: Right = (CKA_COPYABLE, "CKA_COPYABLE", false)

    /// Makes a key that no one can copy: a copy could have other rights. A token that does not know CKA_COPYABLE, which is new in
    /// PKCS#11 2.40, makes it without.
    ///
    /// - Parameter make: makes it with further attributes.
    static func withoutCopies<Key>(
        _ make: (_ more: [Attribute]) throws(PKCS11Error) -> Key
    ) throws(PKCS11Error) -> Key {
        do throws(PKCS11Error) {
            return try make([.flag(notCopyable.type, notCopyable.isSet)])
        } catch {
            guard case .failed(_, CKR_ATTRIBUTE_TYPE_INVALID) = error else { throw error }
            return try make([])
        }
    }

    private static func search(_ id: [UInt8]) -> [Attribute] {
        [
            .number(CKA_CLASS, UInt(CKO_SECRET_KEY)), .number(CKA_KEY_TYPE, UInt(CKK_AES)), .flag(CKA_TOKEN, true),
            .bytes(CKA_ID, id),
        ]
    }

    private func requireKey(_ id: [UInt8]) throws(PKCS11Error) -> Cryptoki.Object {
        guard let key = try key(id: id) else { throw .noKey(id: HexDigits.text(of: id)) }
        return key
    }
}
