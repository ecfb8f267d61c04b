internal import Foundation
internal import NIOSSL

/// The PEM files that TLS needs.
package struct TLSFiles: Sendable {
    /// The server's certificate, followed by the rest of its chain.
    package let certificateChainPath: String
    package let privateKeyPath: String
    /// The CAs of back-ends' client certificates; nil if none are required.
    package let clientCAsPath: String?

    package init(certificateChainPath: String, privateKeyPath: String, clientCAsPath: String? = nil) {
        self.certificateChainPath = certificateChainPath
        self.privateKeyPath = privateKeyPath
        self.clientCAsPath = clientCAsPath
    }

    /// Longer files are no certificates.
    private static let byteLimit = 1 << 20

    /// What the files contain. The key belongs to the certificate.
    struct Contents: Sendable {
        let chain: [NIOSSLCertificate]
        let key: NIOSSLPrivateKey
        let clientCAs: [NIOSSLCertificate]
    }

    /// When the server's certificate begins and ends to be valid, in seconds since 1970.
    ///
    /// - Throws: ``TLSFileProblem`` if the server could not use the files.
    package func validity() throws(TLSFileProblem) -> (from: Int64, to: Int64) {
        let contents = try contents()
        return (Int64(contents.chain[0].notValidBefore), Int64(contents.chain[0].notValidAfter))
    }

    /// Reads the files.
    ///
    /// - Throws: ``TLSFileProblem``.
    func contents() throws(TLSFileProblem) -> Contents {
        let chain = try certificates(certificateChainPath, setting: "http.tls.certificate")
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(bytes: try Self.read(privateKeyPath, "http.tls.key"), format: .pem)
        } catch let error as TLSFileProblem {
            throw error
        } catch {
            throw TLSFileProblem(
                setting: "http.tls.key", path: privateKeyPath,
                reason: "it contains no private key in PEM, or the key has a passphrase")
        }
        let cas = try clientCAsPath.map { (path) throws(TLSFileProblem) in
            try certificates(path, setting: "http.tls.client.ca")
        }
        let contents = Contents(chain: chain, key: key, clientCAs: cas ?? [])
        guard (try? NIOSSLContext(configuration: contents.configuration())) != nil else {
            throw TLSFileProblem(
                setting: "http.tls.key", path: privateKeyPath,
                reason: "it is not the key of the first certificate in \(certificateChainPath)")
        }
        return contents
    }

    private func certificates(_ path: String, setting: String) throws(TLSFileProblem) -> [NIOSSLCertificate] {
        let bytes = try Self.read(path, setting)
        guard let found = try? NIOSSLCertificate.fromPEMBytes(bytes), !found.isEmpty else {
            throw TLSFileProblem(setting: setting, path: path, reason: "it contains no certificate in PEM")
        }
        return found
    }

    private static func read(_ path: String, _ setting: String) throws(TLSFileProblem) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TLSFileProblem(setting: setting, path: path, reason: String(cString: strerror(errno)))
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? file.read(upToCount: byteLimit + 1), !data.isEmpty else {
            throw TLSFileProblem(setting: setting, path: path, reason: "it cannot be read, or it is empty")
        }
        guard data.count <= byteLimit else {
            throw TLSFileProblem(setting: setting, path: path, reason: "it is longer than \(byteLimit) bytes")
        }
        return Array(data)
    }
}

extension TLSFiles.Contents {
    /// The groups of the key agreement; the client's order counts. Who records a connection of the first one, and has a
    /// quantum computer later, must also break ML-KEM (draft-ietf-tls-ecdhe-mlkem).
    private static let groups: [NIOTLSCurve] = [.x25519_MLKEM768, .x25519, .secp256r1, .secp384r1]

    /// TLS 1.2 or later (protocol, section 1).
    func configuration() -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.curves = Self.groups
        if !clientCAs.isEmpty {
            // Apps have none, so each route decides whether it requires one.
            configuration.trustRoots = .certificates(clientCAs)
            configuration.certificateVerification = .optionalVerification
        }
        return configuration
    }
}

/// A file that TLS needs cannot be used.
package struct TLSFileProblem: Error, Equatable, CustomStringConvertible {
    package let setting: String
    package let path: String
    package let reason: String

    package var description: String { "\(setting): \(path) cannot be used: \(reason)" }
}
