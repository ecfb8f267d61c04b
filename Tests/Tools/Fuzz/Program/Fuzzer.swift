import FuzzedParsers
import Glibc

// The functions that libFuzzer calls (https://llvm.org/docs/LibFuzzer.html). FUZZ_PARSER names the parser.

private let parser: HostileParser = {
    let name = getenv("FUZZ_PARSER").map { String(cString: $0) } ?? ""
    guard let parser = HostileParser(rawValue: name) else {
        let names = HostileParser.allCases.map(\.rawValue).joined(separator: ", ")
        fatalError("FUZZ_PARSER must be one of \(names)")
    }
    return parser
}()

/// Gives an input to the parser.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    parser.read([UInt8](UnsafeBufferPointer(start: start, count: count)))
    return 0
}
