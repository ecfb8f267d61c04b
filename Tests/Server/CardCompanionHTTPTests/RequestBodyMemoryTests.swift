import HTTPTypes
import Hummingbird
import SecureMemory
import StrictJSON
import Testing

@testable import CardCompanionHTTP

/// The secure heap is for keys and PINs. Strangers must not be able to fill it.
@Suite struct RequestBodyMemoryTests {
    @Test(arguments: [20, 2_000, 60_000])
    func `A request's body is not in the secure heap`(byteCount: Int) async throws {
        SecureHeap.initialize(byteCount: 1 << 20)
        let json = #"{"bankId":"\#(String(repeating: "x", count: byteCount))","code":"1234"}"#
        let request = Request(
            head: HTTPRequest(
                method: .post, scheme: nil, authority: nil, path: "/", headerFields: [.contentType: "application/json"]),
            body: RequestBody(buffer: ByteBuffer(string: json)))
        let object = try await RequestBodyReader.object(request)
        let isBodySecure = object.bytes.isInSecureHeap
        #expect(!isBodySecure)
        let (code, text) = (SharedSecret(object.secret(of: "code")), SharedSecret(object.secret(of: "bankId")))
        #expect(code?.bytes.isInSecureHeap == true)
        #expect(text?.bytes.isInSecureHeap == (byteCount <= 256))
    }
}
