package cardcompanion.sdk.internal;

/** The key management algorithms (alg) of the protocol. */
public enum Algorithm {
    RSA_OAEP_256("RSA-OAEP-256", "RSA"),
    ECDH_ES_A256KW("ECDH-ES+A256KW", "EC");

    /** The content encryption (enc) of both. */
    public static final String CONTENT_ENCRYPTION = "A256GCM";

    public final String name;
    /** The kty of its keys. */
    public final String keyType;

    Algorithm(String name, String keyType) {
        this.name = name;
        this.keyType = keyType;
    }
}
