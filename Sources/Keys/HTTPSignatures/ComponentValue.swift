internal import HTTPTypes

// Component values (RFC 9421 sections 2.1 and 2.2).

extension SignedMessage {
    /// The value of the component, printable ASCII.
    ///
    /// - Throws: `componentNotInMessage`, `unprintableComponent`.
    func value(of component: Component) throws(SignatureError) -> String {
        guard let value = derivedOrField(component) else {
            throw SignatureError(.componentNotInMessage(component.description))
        }
        let isField = if case .field = component { true } else { false }
        guard value.utf8.allSatisfy({ 0x20...0x7e ~= $0 || (isField && $0 == 0x09) }) else {
            throw SignatureError(.unprintableComponent(component.description))
        }
        return value
    }

    private func derivedOrField(_ component: Component) -> String? {
        switch (component, control) {
        case (.field(let name), _): value(of: name)
        case (.status, .response(let status)): String(status)
        case (.status, .request), (_, .response): nil
        case (_, .request(let request)): request.value(of: component)
        }
    }
}

extension SignedMessage.RequestControl {
    fileprivate func value(of component: Component) -> String? {
        switch component {
        case .method: method
        case .targetURI: targetURI
        case .authority: normalAuthority
        case .scheme: scheme?.lowercased()
        case .requestTarget: target.isEmpty ? nil : target
        case .path: path
        case .query: path.map { _ in "?" + (query ?? "") }
        case .queryParameter(let name): query.flatMap { QueryParameters($0).only(name) }
        case .status, .field: nil
        }
    }

    /// Nil if the request target has no path (CONNECT, `OPTIONS *`, requests to a proxy).
    private var path: String? {
        guard target.hasPrefix("/") else { return target.isEmpty ? "/" : nil }
        return String(target.prefix { $0 != "?" })
    }

    private var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }

    /// The URI, made from the parts as they were sent (RFC 9110 section 7.1).
    private var targetURI: String? {
        guard path != nil, let scheme, let authority, !authority.isEmpty else { return nil }
        return "\(scheme)://\(authority)\(target)"
    }

    /// The authority in lower case, without the default port of the scheme (RFC 9110 section 4.2.3).
    private var normalAuthority: String? {
        guard let authority = authority?.lowercased(), !authority.isEmpty else { return nil }
        let port = ["https": ":443", "http": ":80"][scheme?.lowercased() ?? ""]
        guard let port, authority.hasSuffix(port) else { return authority }
        return String(authority.dropLast(port.count))
    }
}
