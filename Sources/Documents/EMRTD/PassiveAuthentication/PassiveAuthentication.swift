internal import Cryptography

/// Passive authentication (Doc 9303-11 section 5.1): are the files those that a trusted state has signed?
package struct PassiveAuthentication: Sendable {
    /// Whether the security object has a valid signature of the document signer that is in it.
    package let isSecurityObjectSignatureValid: Bool
    /// Whether the document signer is under a trust anchor of the right country, was valid, and is not revoked.
    package let isDocumentCertificateValid: Bool
    /// The data groups that were present, in order.
    package let dataGroupsChecked: [Int]
    /// Those of them whose hash matches the security object.
    package let dataGroupsWithValidHash: [Int]
    /// Why it failed; nil if it did not.
    package let failure: String?
    /// Remarks that do not change the result: SHA-1, no revocation list.
    package let remarks: [String]

    /// Whether data group 1 was present, and every present data group has the hash in the signed security object. Then a
    /// client that looks only at this member accepts no unsigned hash, and no document without data group 1.
    package var areAllHashesValid: Bool {
        isSecurityObjectSignatureValid && dataGroupsChecked.contains(1) && dataGroupsChecked == dataGroupsWithValidHash
    }

    package var succeeded: Bool { failure == nil }
}

extension PassiveAuthentication {
    /// Checks data groups against a security object.
    ///
    /// - Parameters:
    ///   - securityObject: nil if there was none, or it could not be read.
    ///   - dataGroups: the files as they were read from the chip.
    ///   - issuingState: the issuing state in the MRZ; nil if there is no MRZ, or it cannot be read. Then the document signer
    ///     does not count, because its country cannot be compared.
    ///   - unixSeconds: now, for revocation.
    package static func check(
        _ securityObject: SecurityObject?, dataGroups: [Int: Octets], issuingState: PersonalText?,
        anchors: TrustAnchors, at unixSeconds: Int64
    ) -> PassiveAuthentication {
        let numbers = dataGroups.keys.sorted()
        guard let securityObject else {
            return PassiveAuthentication(
                isSecurityObjectSignatureValid: false, isDocumentCertificateValid: false, dataGroupsChecked: numbers,
                dataGroupsWithValidHash: [], failure: "there is no security object that can be read", remarks: [])
        }
        let signer = securityObject.verify()
        let hash = securityObject.hashAlgorithm
        let valid = numbers.filter { number in
            dataGroups[number].map { hash.hash($0) } == securityObject.hashes[number]
        }
        let certificate = CertificateCheck(signer, issuingState: issuingState, anchors: anchors, at: unixSeconds)
        let usesSHA1 =
            hash == .sha1 || signer?.hashes.contains(.sha1) == true
            || signer?.certificate.signatureAlgorithm.hash == .sha1
        return PassiveAuthentication(
            isSecurityObjectSignatureValid: signer != nil, isDocumentCertificateValid: certificate.failure == nil,
            dataGroupsChecked: numbers, dataGroupsWithValidHash: valid,
            failure: certificate.failure ?? hashFailure(numbers, valid, securityObject),
            remarks: (usesSHA1 ? ["the security object or its signer's certificate uses SHA-1, which is broken"] : [])
                + certificate.remarks)
    }

    private static func hashFailure(_ numbers: [Int], _ valid: [Int], _ securityObject: SecurityObject) -> String? {
        guard !numbers.isEmpty else { return "there is no data group" }
        guard numbers.contains(1) else { return "data group 1 is missing" }
        guard let wrong = numbers.first(where: { !valid.contains($0) }) else { return nil }
        return securityObject.hashes[wrong] == nil
            ? "data group \(wrong) is not in the security object" : "data group \(wrong) has another hash"
    }
}

/// Is the document signer's certificate good?
private struct CertificateCheck {
    /// How far the signer's clock can be ahead of the server's.
    private static let clockToleranceSeconds: Int64 = 300

    let failure: String?
    var remarks: [String] = []

    init(
        _ signer: SignedMessage.Verified?, issuingState: PersonalText?, anchors: TrustAnchors, at unixSeconds: Int64
    ) {
        guard let signer else {
            failure = "the signature of the security object is not valid"
            return
        }
        let certificate = signer.certificate
        guard let anchor = anchors.issuer(of: certificate) else {
            failure = "the document signer is not under a trust anchor"
            return
        }
        // A CA, or a signer of master lists, must not sign documents.
        guard certificate.isDocumentSigner else {
            failure = "the signer's certificate is not for documents"
            return
        }
        // Without a signing time, any time would be a guess: the certificate's beginning is the earliest one.
        let signingTime = signer.signingTime ?? certificate.notBefore
        guard certificate.isValid(at: signingTime) else {
            failure = "the document signer was not valid when it signed"
            return
        }
        guard signingTime <= unixSeconds + Self.clockToleranceSeconds else {
            failure = "the security object was signed in the future"
            return
        }
        guard let country = certificate.subject.country ?? certificate.issuer.country,
            country == anchor.subject.country
        else {
            failure = "the document signer and its CA are of different countries"
            return
        }
        guard let issuingState else {
            failure = "there is no machine readable zone that says the issuing state"
            return
        }
        guard IssuingStates.fit(country: country, state: issuingState.utf8) else {
            failure = "the document signer is of another country than the issuing state"
            return
        }
        switch anchors.revocationStatus(of: certificate, under: anchor, at: unixSeconds) {
        case .good: failure = nil
        case .revoked: failure = "the document signer is revoked"
        case .noList:
            failure = nil
            remarks.append("there is no revocation list of the document signer's CA")
        case .staleList:
            failure = nil
            remarks.append("the revocation list of the document signer's CA is out of date")
        }
    }
}
