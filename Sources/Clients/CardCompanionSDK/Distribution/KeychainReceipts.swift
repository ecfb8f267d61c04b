#if canImport(Security)
    internal import Foundation
    internal import Security

    /// Notify receipts in the data protection keychain: on this device only, and readable after it was unlocked once. Those older
    /// than the longest session are removed when another one is saved. A macOS app needs an entitlement for that keychain, such as
    /// `keychain-access-groups`.
    public struct KeychainReceipts: NotifyReceiptStore {
        private let service: String

        /// - Parameter service: the keychain's name for the items. Apps that share a keychain need different ones.
        public init(service: String = "card-companion.notify-receipts") {
            self.service = service
        }

        /// Saves the receipt of a session. If that fails, a notify after a restart answers 90000, as without a store.
        public func save(_ receipt: String, forSession sessionId: String) {
            removeOld()
            remove(forSession: sessionId)
            var item = item(sessionId)
            item[kSecValueData as String] = Data(receipt.utf8)
            item[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            _ = SecItemAdd(item as CFDictionary, nil)
        }

        /// The receipt of a session; nil if there is none.
        public func receipt(forSession sessionId: String) -> String? {
            var query = item(sessionId)
            query[kSecReturnData as String] = true
            var found: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess, let data = found as? Data else {
                return nil
            }
            return String(data: data, encoding: .utf8)
        }

        /// Removes the receipt of a session.
        public func remove(forSession sessionId: String) {
            _ = SecItemDelete(item(sessionId) as CFDictionary)
        }

        private func item(_ sessionId: String) -> [String: Any] {
            var item = all
            item[kSecAttrAccount as String] = sessionId
            return item
        }

        private var all: [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                // Without it macOS takes the keychain file, which does not know when items can be read.
                kSecUseDataProtectionKeychain as String: true,
            ]
        }

        private func removeOld() {
            var query = all
            query[kSecMatchLimit as String] = kSecMatchLimitAll
            query[kSecReturnAttributes as String] = true
            var found: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess,
                let items = found as? [[String: Any]]
            else { return }
            for item in items {
                guard let sessionId = item[kSecAttrAccount as String] as? String,
                    let created = item[kSecAttrCreationDate as String] as? Date,
                    -created.timeIntervalSinceNow > NotifyKeyStore.lifetimeSeconds
                else { continue }
                remove(forSession: sessionId)
            }
        }
    }

    extension NotifyReceiptStore where Self == KeychainReceipts {
        /// The app's keychain.
        public static var keychain: KeychainReceipts { KeychainReceipts() }
    }
#endif
