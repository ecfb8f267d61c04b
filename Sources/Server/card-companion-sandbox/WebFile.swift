/// A file for browsers.
struct WebFile: Sendable {
    /// The path of its URL.
    let path: String
    let mediaType: String
    let bytes: [UInt8]
}

extension WebFile {
    /// The page of the sandbox, and the client library that it uses.
    static let sandbox = [
        WebFile(path: "/sandbox", mediaType: html, bytes: PackageResources.sandbox_html),
        WebFile(path: "/sandbox/sandbox.css", mediaType: css, bytes: PackageResources.sandbox_css),
        WebFile(path: "/sandbox/sandbox.js", mediaType: javaScript, bytes: PackageResources.sandbox_js),
        WebFile(path: "/sandbox/bank-back-end.js", mediaType: javaScript, bytes: PackageResources.bank_back_end_js),
        WebFile(path: "/sandbox/code-messages.js", mediaType: javaScript, bytes: PackageResources.code_messages_js),
        WebFile(path: "/sandbox/defined-pin.js", mediaType: javaScript, bytes: PackageResources.defined_pin_js),
        WebFile(path: "/sandbox/hold.js", mediaType: javaScript, bytes: PackageResources.hold_js),
        WebFile(path: "/sandbox/member-meanings.js", mediaType: javaScript, bytes: PackageResources.member_meanings_js),
        WebFile(path: "/sandbox/my-pin.js", mediaType: javaScript, bytes: PackageResources.my_pin_js),
        WebFile(path: "/sandbox/new-pin.js", mediaType: javaScript, bytes: PackageResources.new_pin_js),
        WebFile(path: "/sandbox/passport.js", mediaType: javaScript, bytes: PackageResources.passport_js),
        WebFile(path: "/sandbox/pin-view.js", mediaType: javaScript, bytes: PackageResources.pin_view_js),
        WebFile(path: "/sandbox/server-checks.js", mediaType: javaScript, bytes: PackageResources.server_checks_js),
        WebFile(path: "/sandbox/terminal.js", mediaType: javaScript, bytes: PackageResources.terminal_js),
        WebFile(path: "/sandbox/wire.js", mediaType: javaScript, bytes: PackageResources.wire_js),
        WebFile(path: "/sandbox/wire-view.js", mediaType: javaScript, bytes: PackageResources.wire_view_js),
        WebFile(path: "/sandbox/card-companion.js", mediaType: javaScript, bytes: PackageResources.card_companion_js),
    ]

    /// The page that shows `openapi.json`.
    static let documentation = [
        WebFile(path: "/docs", mediaType: html, bytes: PackageResources.index_html),
        WebFile(path: "/docs/docs.css", mediaType: css, bytes: PackageResources.docs_css),
        WebFile(path: "/docs/docs.js", mediaType: javaScript, bytes: PackageResources.docs_js),
        WebFile(path: "/docs/client-calls.js", mediaType: javaScript, bytes: PackageResources.client_calls_js),
        WebFile(path: "/docs/elements.js", mediaType: javaScript, bytes: PackageResources.elements_js),
        WebFile(path: "/docs/markdown.js", mediaType: javaScript, bytes: PackageResources.markdown_js),
        WebFile(path: "/docs/samples.js", mediaType: javaScript, bytes: PackageResources.samples_js),
        WebFile(path: "/docs/schemas.js", mediaType: javaScript, bytes: PackageResources.schemas_js),
        WebFile(path: "/docs/openapi.json", mediaType: "application/json", bytes: PackageResources.openapi_json),
    ]

    private static let html = "text/html; charset=utf-8"
    private static let css = "text/css; charset=utf-8"
    private static let javaScript = "text/javascript; charset=utf-8"
}
