internal import KeyVault

/// The server cannot serve now: a queue is full, a bank is being changed, or the vault is lost. The same request can succeed later.
package struct ServiceUnavailable: Error, CustomStringConvertible {
    /// After how many seconds a client can try again.
    package let retryAfterSeconds: Int
    /// Why, for the log.
    package let description: String

    package init(_ reason: String, retryAfterSeconds: Int = 1) {
        description = reason
        self.retryAfterSeconds = retryAfterSeconds
    }
}

extension ServiceUnavailable {
    /// The keys were taken away while a request was served. Nil if the error says something else.
    package init?(closedVault error: any Error) {
        guard (error as? KeyVaultError) == .vaultClosed else { return nil }
        self.init("the vault was closed", retryAfterSeconds: VaultWatch.intervalSeconds)
    }
}

/// A request is refused before its caller was authenticated.
package struct RefusedCaller: Error {
    /// What is wrong.
    package let reason: any Error
}

/// The caller asks too often.
package struct TooManyRequests: Error {
    /// After how many seconds it can ask again.
    package let retryAfterSeconds: Int
}
