internal import Cryptography
package import HTTPSignatures
internal import SecureMemory

extension Explanation {
    /// An HTTP request as it was sent, head and body.
    package struct HTTPRequestText: Sendable {
        let message: SignedMessage
        let body: [UInt8]

        /// Lines can end in CRLF or LF.
        ///
        /// - Returns: nil if there is no request line.
        package init?(_ bytes: [UInt8]) {
            let text = bytes.filter { $0 != UInt8(ascii: "\r") }
            let end = text.indices.dropLast().first {
                text[$0] == UInt8(ascii: "\n") && text[$0 + 1] == UInt8(ascii: "\n")
            }
            let head = String(decoding: text[..<(end ?? text.endIndex)], as: UTF8.self).split(separator: "\n")
            let requestLine = head.first?.split(separator: " ") ?? []
            guard requestLine.count >= 2 else { return nil }
            let fields = head.dropFirst().compactMap { line -> (String, String)? in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                return (String(line[..<colon]), String(line[line.index(after: colon)...]))
            }
            let authority = fields.first { $0.0.lowercased() == "host" }?.1.filter { $0 != " " }
            message = SignedMessage(
                method: String(requestLine[0]), scheme: nil, authority: authority, target: String(requestLine[1]),
                fields: fields)
            // From the original bytes, because carriage returns in the body belong to it.
            body = Self.body(of: bytes)
        }

        private static func body(of bytes: [UInt8]) -> [UInt8] {
            for separator in [Array("\r\n\r\n".utf8), Array("\n\n".utf8)] {
                let starts = bytes.indices.dropLast(separator.count - 1)
                if let start = starts.first(where: { bytes[$0...].starts(with: separator) }) {
                    return Array(bytes[(start + separator.count)...])
                }
            }
            return []
        }
    }

    /// Explains the signature of a request (RFC 9421) and its content digest (RFC 9530).
    ///
    /// - Parameters:
    ///   - names: the server's names for `@authority`, as in its setting `http.names`; without names the Host field counts.
    ///   - key: if it is nil, the signature is not checked.
    package static func signature(
        of request: HTTPRequestText, names: [Authority] = [], key: VerificationKey?, now: Int64
    ) -> Explanation {
        let authority = names.isEmpty ? ExpectedAuthority.asSent : .oneOf(names)
        var explanation = Explanation()
        if names.isEmpty { explanation.noteHost(request) }
        do throws(SignatureError) {
            let fields = try SignatureFields(request.message)
            explanation.note("keyid", fields.keyIDs.joined(separator: ", "))
            let signature = try fields.only(ofKeys: fields.keyIDs)
            for candidate in authority.candidates(of: request.message) {
                let base = try SignatureBase.text(of: candidate, parameters: signature.parameters)
                explanation.note("signature base", base)
            }
            try explanation.check(signature, of: request, authority, key: key, now: now)
        } catch {
            explanation.bad("signature", "\(error)")
        }
        explanation.checkDigest(of: request)
        return explanation
    }

    private mutating func check(
        _ signature: MessageSignature, of request: HTTPRequestText, _ authority: ExpectedAuthority,
        key: VerificationKey?, now: Int64
    ) throws(SignatureError) {
        if let created = signature.parameters.created {
            note("created", "\(abs(now - created)) seconds \(now >= created ? "ago" : "from now")")
        }
        guard let key else { return note("signature", "not checked: provide the key (--public-key or --hex-file)") }
        _ = try SignaturePolicy(authority: authority).verify(
            signature, of: request.message, hasBody: !request.body.isEmpty, with: key, now: now)
        good("signature", "valid, and covers every required component")
    }

    private mutating func noteHost(_ request: HTTPRequestText) {
        note(
            "@authority",
            "taken from the Host field (\(request.message.authority ?? "there is none")). A server takes its own names: "
                + "provide them (--authority)")
    }

    private mutating func checkDigest(of request: HTTPRequestText) {
        guard !request.body.isEmpty else { return }
        note(
            "body", "\(request.body.count) bytes; its Content-Digest is \(ContentDigest.fieldValue(for: request.body))")
        do throws(SignatureError) {
            try ContentDigest(request.message).verify(request.body)
            good("content digest", "matches the body")
        } catch {
            bad("content digest", "\(error)")
        }
    }
}
