internal import Foundation
internal import Hummingbird

extension ServiceContext {
    /// What stands in a segment of the path, its percent-encoding undone (RFC 3986 section 2.1).
    ///
    /// - Throws: ``Problem`` 400.
    func pathSegment(_ name: String) throws -> String {
        guard let text = try parameters.require(name).removingPercentEncoding else {
            throw Problem(.badRequest, "The path is not UTF-8 in percent-encoding.", kind: "path")
        }
        return text
    }
}
