package cardcompanion.sdk;

/**
 * The server's result codes for PIN definition (SDK document, table 3, which does not list 0 for success).
 */
public final class DefinitionCode {
    /** Success. */
    public static final int SUCCESS = 0;

    /** Missing bankId parameter. */
    public static final int MISSING_BANK_ID = 100;

    /** Invalid bankId (Bank not found in the system). */
    public static final int BANK_NOT_FOUND = 101;

    /** Missing ECDH public key parameter. */
    public static final int MISSING_ECDH_PUBLIC_KEY = 107;

    /** Missing uniqueId parameter. */
    public static final int MISSING_UNIQUE_ID = 110;

    /** Cardholder doesn't exist in the system. */
    public static final int CARDHOLDER_NOT_FOUND = 111;

    /** Cardholder Status not satisfied for PIN definition. */
    public static final int CARDHOLDER_STATUS_NOT_SATISFIED = 114;

    /** Missing IdFournisseur in token. */
    public static final int MISSING_FOURNISSEUR_ID = 115;

    /** Missing IdTransaction in token. */
    public static final int MISSING_TRANSACTION_ID = 116;

    /** Missing IdType in token. */
    public static final int MISSING_TYPE = 117;

    /** Missing Token parameter. */
    public static final int MISSING_TOKEN = 118;

    /** Missing TimeStamp. */
    public static final int MISSING_TIMESTAMP = 120;

    /** Invalid Timestamp. */
    public static final int INVALID_TIMESTAMP = 121;

    /** Missing PIN. */
    public static final int MISSING_PIN = 130;

    /** PIN format is invalid. */
    public static final int INVALID_PIN_FORMAT = 131;

    /** Missing HashMac. */
    public static final int MISSING_HASH_MAC = 140;

    /** Invalid HashMac. */
    public static final int BAD_HASH_MAC = 141;

    /** Crypto error. */
    public static final int CRYPTO_ERROR = 200;

    /** AES key is not present in request. */
    public static final int MISSING_AES_KEY = 201;

    /** Signature is invalid. */
    public static final int INVALID_SIGNATURE = 206;

    /** ECDH client public key is invalid. */
    public static final int INVALID_ECDH_PUBLIC_KEY = 207;

    /** Token format is invalid. */
    public static final int INVALID_TOKEN_FORMAT = 208;

    /** Field type in token is invalid (must be equals to 2 or 02). */
    public static final int INVALID_TOKEN_TYPE = 209;

    /** Missing signature parameter. */
    public static final int MISSING_SIGNATURE = 210;

    /** TransactionId in token has been already used during the last 5 minutes. */
    public static final int TRANSACTION_ALREADY_TREATED = 211;

    /** Keypad size parameter is invalid. */
    public static final int INVALID_KEYPAD_SIZE = 212;

    /** Missing keypad size parameter. */
    public static final int MISSING_KEYPAD_SIZE = 213;

    /**
     * Keypad coordinates are not in DB. Make sure getKeypad coordinates called has been made before calling define
     * pin function.
     */
    public static final int KEYPAD_NOT_FOUND = 214;

    /** Internal error. */
    public static final int UNEXPECTED_ERROR = 300;

    private DefinitionCode() {}
}
