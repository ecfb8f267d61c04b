package import SecureMemory

/// Bytes of a file of a document, or a part of them. Parts share the memory of the whole, which is wiped when the last of
/// them is gone. They can be personal data, so they have no description.
package struct Octets: Sendable {
    private let storage: SharedSecret
    private let range: Range<Int>

    private init(storage: SharedSecret, range: Range<Int>) {
        self.storage = storage
        self.range = range
    }

    /// Copies `source`. The caller must wipe the source if it is personal.
    package init(copying source: borrowing some ByteSource & ~Copyable) {
        self.init(SecretBytes(copying: source, in: .ordinary))
    }

    /// Takes ownership of bytes.
    package init(_ bytes: consuming SecretBytes) {
        let count = bytes.count
        self.init(storage: SharedSecret(bytes), range: 0..<count)
    }

    package var count: Int { range.count }
    package var isEmpty: Bool { range.isEmpty }
    package var first: UInt8? { isEmpty ? nil : self[0] }
    package var last: UInt8? { isEmpty ? nil : self[count - 1] }

    /// The byte at a place; the first place is 0.
    package subscript(place: Int) -> UInt8 {
        precondition(0..<count ~= place, "a byte outside of the bytes")
        return storage.bytes.withBytes { $0[range.lowerBound + place] }
    }

    /// The part between two places.
    package subscript(places: Range<Int>) -> Octets {
        precondition(places.lowerBound >= 0 && places.upperBound <= count, "a part outside of the bytes")
        let start = range.lowerBound
        return Octets(storage: storage, range: start + places.lowerBound..<start + places.upperBound)
    }

    package func prefix(_ length: Int) -> Octets { self[0..<Swift.min(length, count)] }

    package func dropFirst(_ length: Int = 1) -> Octets { self[Swift.min(length, count)..<count] }

    package func dropLast(_ length: Int = 1) -> Octets { self[0..<Swift.max(count - length, 0)] }

    /// The part without the bytes at the end that are equal to `byte`.
    func trimmingEnd(of byte: UInt8) -> Octets {
        var end = count
        while end > 0, self[end - 1] == byte { end -= 1 }
        return prefix(end)
    }

    /// The place of the first `byte`, or nil.
    func firstPlace(of byte: UInt8) -> Int? {
        withBytes { $0.firstIndex(of: byte) }
    }

    /// A copy outside of the wiped memory, for what is public: keys, signatures, certificates.
    package var bytes: [UInt8] { withBytes { [UInt8]($0) } }

    func starts(with beginning: [UInt8]) -> Bool {
        withBytes { $0.starts(with: beginning) }
    }
}

extension Octets: ByteSource {
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.bytes.withBytes { (all) throws(Failure) in
            try body(UnsafeRawBufferPointer(rebasing: all[range]))
        }
    }
}

extension Octets: Hashable {
    package static func == (one: Octets, other: Octets) -> Bool {
        one.withBytes { one in other.withBytes { other in one.elementsEqual(other) } }
    }

    package static func == (one: Octets, other: [UInt8]) -> Bool {
        one.withBytes { $0.elementsEqual(other) }
    }

    package func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: $0) }
    }
}

extension Octets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(count) bytes" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Octets {
    /// A copy of parts, one after the other.
    init(joining parts: [Octets]) {
        self.init(
            SecretBytes(count: parts.reduce(0) { $0 + $1.count }, in: .ordinary) { output in
                var place = 0
                for part in parts {
                    part.withBytes { bytes in
                        UnsafeMutableRawBufferPointer(rebasing: output[place..<place + bytes.count])
                            .copyMemory(from: bytes)
                    }
                    place += part.count
                }
            })
    }
}
