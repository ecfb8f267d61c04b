internal import CardCompanionAPI
internal import Foundation

extension CardCompanionSession {
    /// Seals a PIN to the server.
    ///
    /// - Throws: 90007 if it is not a PIN, 90003, 90009 or 90014 if the server has no key that can be used, and the codes of
    ///   an HTTP exchange.
    @concurrent
    func seal(
        pin: String, by algorithm: KeyManagement, for request: RequestBinding, hostUrl: String
    ) async throws(SDKError) -> SealedPIN.Sealed {
        let host = try host(hostUrl)
        let plaintext = try PINPlaintext.digits(pin, lengths: configuration.definedPINLengths)
        return try await seal(plaintext, by: algorithm, for: request, to: host)
    }

    /// Seals indexes into a keypad to the server.
    ///
    /// - Throws: as for a PIN.
    @concurrent
    func seal(indexes: String, for request: RequestBinding, hostUrl: String) async throws(SDKError) -> SealedPIN.Sealed
    {
        let host = try host(hostUrl)
        let plaintext = try PINPlaintext.indexes(indexes, lengths: configuration.definedPINLengths)
        return try await seal(plaintext, by: .ecdhESA256KW, for: request, to: host)
    }

    /// Fetches the server's key set for each call, because a cached key may have been rotated.
    private func seal(
        _ plaintext: Data, by algorithm: KeyManagement, for request: RequestBinding, to host: HostURL
    ) async throws(SDKError) -> SealedPIN.Sealed {
        let set: JWKSet = try await http.get(host.url(APIPath.keySet))
        let key = try ServerKey(from: set, for: algorithm, pinned: configuration.pinnedServerKeyThumbprints)
        let compact = try CompactJWE.seal(plaintext, to: key, for: request)
        return SealedPIN.Sealed(compact: compact, algorithm: algorithm, request: request)
    }
}
