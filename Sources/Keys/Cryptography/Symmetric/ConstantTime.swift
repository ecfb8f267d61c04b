internal import COpenSSL
package import SecureMemory

/// Comparison in a time that does not depend on the content.
package enum ConstantTime {
    /// Whether both have the same bytes. The time can show whether the lengths differ, but nothing about the content.
    package static func areEqual(
        _ one: borrowing some ByteSource & ~Copyable, _ other: borrowing some ByteSource & ~Copyable
    ) -> Bool {
        one.withOctets { one, count in
            other.withOctets { other, otherCount in
                count == otherCount && CRYPTO_memcmp(one, other, count) == 0
            }
        }
    }
}
