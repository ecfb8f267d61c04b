import Cryptography
import EMRTD
import EMRTDSimulation

/// Files of a document's chip, certificates, lists.
enum DocumentInput {
    /// Nobody can sign in the name of this state.
    private static let root = make { try SigningCertificate(Octets(copying: SimulatedIssuer(at: 0).certificate)) }
    private static let anchors = TrustAnchors([root])

    static func readFile(_ bytes: [UInt8]) {
        let file = Octets(copying: bytes)
        if let zone = try? MachineReadableZone(dg1: file) { use(zone) }
        if let zone = try? MachineReadableZone(file) { use(zone) }
        let images = ((try? FaceImages(file))?.images ?? []) + ((try? SignatureImages(file))?.images ?? [])
        require(images.allSatisfy { 0..<bytes.count ~= $0.bytes.count }, "an image is longer than its file")
        _ = try? CommonData(file)
        _ = try? AdditionalPersonalDetails(file)
        _ = try? AdditionalDocumentDetails(file)
        let infos = try? SecurityInfos(file)
        if let offer = infos.flatMap(ChipAuthenticationOffer.strongest(in:)) {
            require(!offer.publicKey.bytes.isEmpty, "a key without bytes can be used")
        }
        if let authentication = try? ActiveAuthentication(dg15: file, infos: infos) {
            require(!authentication.isValid(bytes, challenge: [0]), "a key is its own signature")
        }
        readExpectedName(file)
    }

    private static func use(_ zone: MachineReadableZone) {
        let forms = ExpectedIdentity.forms(of: zone, nil, at: 1_795_000_000).map(\.canonicalForm)
        require(Set(forms).count == forms.count, "two identities are the same")
        if let today = CalendarDate(year: 2026, month: 11, day: 22), let day = zone.dayOfExpiry(near: today) {
            require(abs(day.year - today.year) <= 50, "a day of expiry is in another century")
        }
    }

    /// What has the characters of an MRZ is not changed again.
    private static func readExpectedName(_ text: Octets) {
        guard let name = try? MRZText.name(text) else { return }
        require(
            (try? MRZText.name(name.characters))?.characters == name.characters,
            "a name changes when it is brought into its form again")
    }

    static func readSecurityObject(_ bytes: [UInt8]) {
        let file = Octets(copying: bytes)
        let object = try? SecurityObject(file)
        let result = PassiveAuthentication.check(
            object, dataGroups: [1: file], issuingState: nil, anchors: anchors, at: 1_795_305_600)
        require(!result.isDocumentCertificateValid && !result.succeeded, "a stranger is trusted")
        if let certificate = try? SigningCertificate(file) {
            require(certificate.encoded == bytes, "a certificate is another one than was read")
            require(anchors.issuer(of: certificate) == nil, "a stranger's certificate is trusted")
            _ = certificate.isSigned(by: certificate)
        }
        if let list = try? CertificateRevocationList(file) {
            require(!list.isSigned(by: root), "a stranger's revocation list is trusted")
        }
    }

    static func readMasterList(_ bytes: [UInt8]) {
        guard let list = try? MasterList(Octets(copying: bytes)) else { return }
        require((try? list.verify(root: root)) == nil, "a stranger's master list is trusted")
    }
}
