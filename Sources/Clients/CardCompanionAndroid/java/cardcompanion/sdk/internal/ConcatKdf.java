package cardcompanion.sdk.internal;

/** The key derivation of ECDH-ES for a key of 256 bits (RFC 7518 section 4.6.2): one round of SHA-256. */
public final class ConcatKdf {
    private static final int KEY_BIT_COUNT = 256;

    private ConcatKdf() {}

    /**
     * @param secret Z, the shared secret
     * @param algorithm AlgorithmID, the name of the algorithm that uses the key
     * @param partyU the decoded value of apu
     * @param partyV the decoded value of apv
     */
    public static byte[] key(byte[] secret, String algorithm, byte[] partyU, byte[] partyV) {
        byte[] name = Texts.utf8(algorithm);
        byte[] input = Bytes.concatenated(
            Bytes.bigEndian(1), secret, Bytes.bigEndian(name.length), name, Bytes.bigEndian(partyU.length), partyU,
            Bytes.bigEndian(partyV.length), partyV, Bytes.bigEndian(KEY_BIT_COUNT));
        try {
            return Digests.sha256(input);
        } finally {
            Bytes.wipe(input);
        }
    }
}
