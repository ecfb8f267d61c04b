package cardcompanion.sdk.internal;

import cardcompanion.sdk.LibraryCode;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECPoint;
import java.security.spec.RSAPublicKeySpec;
import java.util.LinkedHashMap;
import java.util.Map;

/** A public key as a JSON Web Key (RFC 7517; RFC 7518 section 6), RSA or EC. */
public final class Jwk {
    private static final int MINIMUM_RSA_BITS = 2048;
    private static final int MAXIMUM_RSA_BITS = 16384;

    public final String kty;
    public final String use;
    public final String alg;
    public final String kid;
    private final String crv;
    private final String x;
    private final String y;
    private final String n;
    private final String e;

    public Jwk(JsonObject members) throws JsonException {
        kty = members.requiredText("kty");
        use = members.text("use");
        alg = members.text("alg");
        kid = members.text("kid");
        crv = members.text("crv");
        x = members.text("x");
        y = members.text("y");
        n = members.text("n");
        e = members.text("e");
    }

    /** The members of a P-256 public key. */
    static Map<String, String> members(ECPublicKey key) {
        ECPoint point = key.getW();
        Map<String, String> members = new LinkedHashMap<>();
        members.put("kty", "EC");
        members.put("crv", "P-256");
        members.put("x", Base64Url.encode(P256.coordinate(point.getAffineX())));
        members.put("y", Base64Url.encode(P256.coordinate(point.getAffineY())));
        return members;
    }

    /**
     * The P-256 public key.
     *
     * @throws LibraryException 90014 if this is not a P-256 key, 90009 if the point is not on the curve
     */
    public ECPublicKey p256PublicKey() throws LibraryException {
        byte[] xBytes = coordinate(x);
        byte[] yBytes = coordinate(y);
        if (!"EC".equals(kty) || !"P-256".equals(crv) || xBytes == null || yBytes == null) {
            throw new LibraryException(LibraryCode.UNREADABLE_EC_KEY, "the JWK is not a P-256 key");
        }
        return P256.publicKey(xBytes, yBytes);
    }

    private static byte[] coordinate(String text) {
        byte[] bytes = Base64Url.decode(text);
        return bytes != null && bytes.length == P256.COORDINATE_BYTE_COUNT ? bytes : null;
    }

    /**
     * The RSA public key.
     *
     * @throws LibraryException 90003 if this is not an RSA key of at least 2048 bits
     */
    public PublicKey rsaPublicKey() throws LibraryException {
        byte[] modulus = Base64Url.decode(n);
        byte[] exponent = Base64Url.decode(e);
        try {
            if ("RSA".equals(kty) && modulus != null && exponent != null) {
                BigInteger number = new BigInteger(1, modulus);
                if (number.bitLength() >= MINIMUM_RSA_BITS && number.bitLength() <= MAXIMUM_RSA_BITS) {
                    RSAPublicKeySpec key = new RSAPublicKeySpec(number, new BigInteger(1, exponent));
                    return KeyFactory.getInstance("RSA").generatePublic(key);
                }
            }
        } catch (GeneralSecurityException error) {
            // The provider refuses the key.
        }
        throw new LibraryException(
            LibraryCode.BAD_ANSWER_FORMAT, "the server's RSA key is invalid or has less than 2048 bits");
    }

    /** The key's SHA-256 thumbprint in base64url (RFC 7638). Null if a required member is missing. */
    public String thumbprint() {
        Map<String, String> members = new LinkedHashMap<>();
        if (kty.equals("EC")) {
            members.put("crv", crv);
            members.put("kty", kty);
            members.put("x", x);
            members.put("y", y);
        } else {
            members.put("e", e);
            members.put("kty", kty);
            members.put("n", n);
        }
        if (members.containsValue(null)) return null;
        return Base64Url.encode(Digests.sha256(Texts.utf8(JsonWriter.write(members))));
    }
}
