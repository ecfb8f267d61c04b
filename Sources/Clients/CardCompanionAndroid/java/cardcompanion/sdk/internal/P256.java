package cardcompanion.sdk.internal;

import cardcompanion.sdk.LibraryCode;
import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.EllipticCurve;
import javax.crypto.KeyAgreement;

/** The curve P-256: keys, and the Diffie-Hellman exchange. */
public final class P256 {
    public static final int COORDINATE_BYTE_COUNT = 32;

    private P256() {}

    public static KeyPair generate() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    /**
     * The public key with these coordinates. The point is checked here, and not left to the provider: a point of
     * another curve would let its maker learn the private key.
     *
     * @throws LibraryException 90009 if the point is not on the curve
     */
    public static ECPublicKey publicKey(byte[] x, byte[] y) throws LibraryException {
        try {
            AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
            parameters.init(new ECGenParameterSpec("secp256r1"));
            ECParameterSpec curve = parameters.getParameterSpec(ECParameterSpec.class);
            ECPoint point = new ECPoint(new BigInteger(1, x), new BigInteger(1, y));
            if (isOn(curve.getCurve(), point)) {
                return (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, curve));
            }
        } catch (GeneralSecurityException error) {
            // The provider refuses the point.
        }
        throw new LibraryException(LibraryCode.UNTRUSTED_SERVER_KEY, "the point is not on P-256");
    }

    /** Whether both coordinates are below the prime, and y² = x³ + ax + b. All points of the curve have its order. */
    private static boolean isOn(EllipticCurve curve, ECPoint point) {
        BigInteger prime = ((ECFieldFp) curve.getField()).getP();
        BigInteger x = point.getAffineX();
        BigInteger y = point.getAffineY();
        if (x.compareTo(prime) >= 0 || y.compareTo(prime) >= 0) return false;
        BigInteger right = x.multiply(x).add(curve.getA()).multiply(x).add(curve.getB()).mod(prime);
        return y.multiply(y).mod(prime).equals(right);
    }

    /**
     * The x coordinate of the shared point.
     *
     * @throws LibraryException 90010 if there is none
     */
    public static byte[] sharedSecret(PrivateKey own, PublicKey other) throws LibraryException {
        try {
            KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
            agreement.init(own);
            agreement.doPhase(other, true);
            byte[] secret = agreement.generateSecret();
            if (secret.length == COORDINATE_BYTE_COUNT) return secret;
        } catch (GeneralSecurityException | IllegalStateException error) {
            // There is no secret.
        }
        throw new LibraryException(LibraryCode.KEY_AGREEMENT_FAILED, "ECDH failed");
    }

    /** A coordinate in 32 bytes. */
    static byte[] coordinate(BigInteger number) {
        byte[] written = number.toByteArray();
        byte[] bytes = new byte[COORDINATE_BYTE_COUNT];
        int count = Math.min(written.length, bytes.length);
        System.arraycopy(written, written.length - count, bytes, bytes.length - count, count);
        return bytes;
    }
}
