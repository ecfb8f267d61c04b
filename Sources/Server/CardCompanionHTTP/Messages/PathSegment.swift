internal import Foundation
internal import Hummingbird

extension ServiceContext {
    /// The text of a segment of the path, without percent-encoding (RFC 3986 section 2.1).
    ///
    /// - Throws: ``Problem`` 400.
    func pathSegment(_ name: String) throws -> String {
        guard let text = try parameters.require(name).removingPercentEncoding else {
            throw Problem(.badRequest, "The path must be percent-encoded UTF-8.", kind: "path")
        }
        return text
    }
}
