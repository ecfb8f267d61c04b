package cardcompanion.sdk.internal;

import cardcompanion.sdk.LibraryCode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;

/** A sealed value: a JWE in compact serialization (RFC 7516 section 3.1). */
public final class CompactJwe {
    private static final int PART_COUNT = 5;

    private final JweHeader header;
    /** The encoded header as it was sent. It is GCM's additional data. */
    private final byte[] protectedHeader;
    private final byte[] encryptedKey;
    private final byte[] iv;
    private final byte[] ciphertext;
    private final byte[] tag;

    /** @throws LibraryException 90005 if the text is not a compact JWE or its header is invalid */
    public CompactJwe(String text) throws LibraryException {
        String[] parts = text.split("\\.", -1);
        if (parts.length != PART_COUNT) throw notCompact();
        byte[][] decoded = new byte[PART_COUNT][];
        for (int index = 0; index < PART_COUNT; index++) {
            decoded[index] = Base64Url.decode(parts[index]);
            if (decoded[index] == null) throw notCompact();
        }
        if (decoded[2].length != Aes.IV_BYTE_COUNT || decoded[4].length != Aes.TAG_BYTE_COUNT) throw notCompact();
        try {
            header = new JweHeader(decoded[0]);
        } catch (JsonException error) {
            throw refused("the JWE's header is invalid or has an unsupported parameter");
        }
        protectedHeader = parts[0].getBytes(StandardCharsets.US_ASCII);
        encryptedKey = decoded[1];
        iv = decoded[2];
        ciphertext = decoded[3];
        tag = decoded[4];
    }

    /**
     * Decrypts the content with the recipient's key. The caller wipes it.
     *
     * @throws LibraryException 90005 if an algorithm is not the expected one or the content does not authenticate,
     *     90009 or 90014 if epk is invalid, 90010 or 90012 if the content key cannot be decrypted
     */
    public byte[] open(RecipientKey recipient) throws LibraryException {
        if (!header.alg.equals(recipient.algorithm.name) || !header.enc.equals(Algorithm.CONTENT_ENCRYPTION)) {
            throw refused("the JWE does not use the expected algorithms");
        }
        byte[] contentKey = recipient.unwrap(encryptedKey, header);
        try {
            if (contentKey.length != Aes.KEY_BYTE_COUNT) {
                throw new LibraryException(
                    LibraryCode.CONTENT_KEY_NOT_UNWRAPPED, "the content key must have 256 bits");
            }
            return Aes.open(contentKey, iv, protectedHeader, ciphertext, tag);
        } catch (GeneralSecurityException error) {
            throw refused("the content does not authenticate");
        } finally {
            Bytes.wipe(contentKey);
        }
    }

    /** The serialization of a content that is encrypted under a content key. */
    public static String write(String headerJson, byte[] encryptedKey, byte[] contentKey, byte[] iv, byte[] content)
            throws GeneralSecurityException {
        String protectedHeader = Base64Url.encode(Texts.utf8(headerJson));
        byte[] sealed = Aes.seal(contentKey, iv, protectedHeader.getBytes(StandardCharsets.US_ASCII), content);
        int tagStart = sealed.length - Aes.TAG_BYTE_COUNT;
        return String.join(
            ".", protectedHeader, Base64Url.encode(encryptedKey), Base64Url.encode(iv),
            Base64Url.encode(Arrays.copyOf(sealed, tagStart)),
            Base64Url.encode(Arrays.copyOfRange(sealed, tagStart, sealed.length)));
    }

    private static LibraryException notCompact() {
        return refused("the value is not a compact JWE");
    }

    private static LibraryException refused(String detail) {
        return new LibraryException(LibraryCode.DECRYPTION_FAILED, detail);
    }
}
