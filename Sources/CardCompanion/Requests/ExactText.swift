/// A text that equals another only byte for byte, as the database and an HMAC see it. A `String` also equals one that is
/// put together from other scalars.
struct ExactText: Hashable, Sendable {
    private let bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }
}
