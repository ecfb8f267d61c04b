package cardcompanion.example.model;

import cardcompanion.sdk.CryptoUtil;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.interfaces.RSAPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.UUID;

/**
 * Plays the bank's back-end with the keys of the sandbox, which are no secrets. <b>A real app has no key of its
 * bank:</b> it has a class in place of this one that calls the bank's back-end.
 */
public final class SandboxBank implements Bank {
    private final String bankId;
    private final String hmacKey;
    private final RSAPrivateKey signingKey;

    /**
     * Reads the sandbox's keys.
     *
     * @param bankId the member bankId of sandbox.json
     * @param hmacKey the content of hmac.hex
     * @param signingKey the content of signing-key.pem
     */
    public SandboxBank(String bankId, String hmacKey, String signingKey) {
        this.bankId = bankId;
        this.hmacKey = hmacKey.trim();
        String base64 = signingKey.replaceAll("-----[A-Z ]+-----|\\s", "");
        try {
            PKCS8EncodedKeySpec key = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64));
            this.signingKey = (RSAPrivateKey) KeyFactory.getInstance("RSA").generatePrivate(key);
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("signing-key.pem is no RSA key");
        }
    }

    @Override
    public String bankId() {
        return bankId;
    }

    @Override
    public String timestamp() {
        return String.valueOf(System.currentTimeMillis() / 1000);
    }

    @Override
    public String transactionId() {
        return UUID.randomUUID().toString();
    }

    @Override
    public String hashMac(String uniqueId, String timestamp, String binding) {
        return CryptoUtil.computeHMAC(hmacKey, bankId + uniqueId + timestamp + "." + binding + ".");
    }

    @Override
    public SignedToken token(
            String uniqueId, String transactionId, String type, String authCode, String binding) {
        // The sandbox's names and codes need no escapes. A back-end writes JSON with a library.
        String code = authCode.isEmpty() ? "" : "\",\"AuthenticationCode\":\"" + authCode;
        String token = "{\"IdBEL\":\"" + bankId + "\",\"IdPorteur\":\"" + uniqueId
            + "\",\"IdFournisseur\":\"sandbox\",\"IdTransaction\":\"" + transactionId
            + "\",\"Timestamp\":\"" + timestamp() + "\",\"Type\":\"" + type + code + "\",\"Binding\":\"" + binding + "\"}";
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(signingKey);
            signature.update(token.getBytes(StandardCharsets.UTF_8));
            return new SignedToken(token, Base64.getEncoder().encodeToString(signature.sign()));
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("the token could not be signed");
        }
    }
}
