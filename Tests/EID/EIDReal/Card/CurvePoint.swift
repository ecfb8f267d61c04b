internal import COpenSSL

/// A point of the curve brainpoolP256r1 (RFC 5639 section 3.4), other than infinity.
package struct CurvePoint: Hashable, Sendable {
    /// It is not on the curve, or a calculation ended at infinity.
    package struct Fault: Error {}

    package static let coordinateByteCount = 32

    /// Uncompressed: 4, x and y.
    package let encoded: [UInt8]

    package var x: [UInt8] { Array(encoded[1...Self.coordinateByteCount]) }

    /// - Throws: ``Fault``.
    package init(_ encoded: [UInt8]) throws(Fault) {
        guard encoded.count == 2 * Self.coordinateByteCount + 1, encoded.first == 4 else { throw Fault() }
        self = try Self.calculate { group, result in EC_POINT_oct2point(group, result, encoded, encoded.count, nil) }
    }

    private init(unchecked encoded: [UInt8]) {
        self.encoded = encoded
    }

    /// The base point, `number` times (big-endian).
    package static func generator(times number: [UInt8]) throws(Fault) -> CurvePoint {
        try withNumber(number) { (number) throws(Fault) in
            try calculate { group, result in EC_POINT_mul(group, result, number, nil, nil, nil) }
        }
    }

    /// The point, `number` times (big-endian).
    package func times(_ number: [UInt8]) throws(Fault) -> CurvePoint {
        try Self.withNumber(number) { (number) throws(Fault) in
            try Self.calculate { group, result in
                guard let point = EC_POINT_new(group) else { return 0 }
                defer { EC_POINT_free(point) }
                guard EC_POINT_oct2point(group, point, encoded, encoded.count, nil) == 1 else { return 0 }
                return EC_POINT_mul(group, result, nil, point, number, nil)
            }
        }
    }

    package static func + (one: CurvePoint, other: CurvePoint) throws(Fault) -> CurvePoint {
        try calculate { group, result in
            guard let point = EC_POINT_new(group) else { return 0 }
            defer { EC_POINT_free(point) }
            guard EC_POINT_oct2point(group, result, one.encoded, one.encoded.count, nil) == 1,
                EC_POINT_oct2point(group, point, other.encoded, other.encoded.count, nil) == 1
            else { return 0 }
            return EC_POINT_add(group, result, result, point, nil)
        }
    }

    /// The point that `fill` writes; it returns 1 for success.
    private static func calculate(_ fill: (OpaquePointer, OpaquePointer) -> Int32) throws(Fault) -> CurvePoint {
        guard let group = EC_GROUP_new_by_curve_name(NID_brainpoolP256r1) else { throw Fault() }
        defer { EC_GROUP_free(group) }
        guard let point = EC_POINT_new(group) else { throw Fault() }
        defer { EC_POINT_free(point) }
        var encoded = [UInt8](repeating: 0, count: 2 * coordinateByteCount + 1)
        guard fill(group, point) == 1,
            EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &encoded, encoded.count, nil)
                == encoded.count
        else { throw Fault() }
        return CurvePoint(unchecked: encoded)
    }

    private static func withNumber(
        _ bytes: [UInt8], _ body: (OpaquePointer) throws(Fault) -> CurvePoint
    ) throws(Fault) -> CurvePoint {
        guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { throw Fault() }
        defer { BN_free(number) }
        return try body(number)
    }
}
