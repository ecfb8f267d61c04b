internal import COpenSSL
public import SecureMemory

/// Comparison whose time tells nothing of the content.
public enum ConstantTime {
    /// Whether both hold the same bytes. Whether they are of one length may show in the time, what they hold does not.
    public static func areEqual(
        _ one: borrowing some ByteSource & ~Copyable, _ other: borrowing some ByteSource & ~Copyable
    ) -> Bool {
        one.withOctets { one, count in
            other.withOctets { other, otherCount in
                count == otherCount && CRYPTO_memcmp(one, other, count) == 0
            }
        }
    }
}
