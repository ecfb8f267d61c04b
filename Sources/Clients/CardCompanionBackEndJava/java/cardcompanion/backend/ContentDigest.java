package cardcompanion.backend;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The digest of a body (RFC 9530). */
final class ContentDigest {
    private static final Pattern FORM = Pattern.compile("(sha-256|sha-512)=:([A-Za-z0-9+/]{1,100}={0,2}):");

    private ContentDigest() {}

    static String of(byte[] body) {
        return written("sha-256", body);
    }

    /** Whether the field has exactly one digest, with SHA-256 or SHA-512, and it is the body's. */
    static boolean matches(String field, byte[] body) {
        Matcher form = FORM.matcher(field);
        if (!form.matches()) return false;
        return MessageDigest.isEqual(written(form.group(1), body).getBytes(US_ASCII), field.getBytes(US_ASCII));
    }

    private static String written(String algorithm, byte[] body) {
        try {
            MessageDigest digest = MessageDigest.getInstance(algorithm.toUpperCase(Locale.ROOT));
            return algorithm + "=:" + Base64.getEncoder().encodeToString(digest.digest(body)) + ":";
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException("every Java has SHA-256 and SHA-512", error);
        }
    }
}
