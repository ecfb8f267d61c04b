package cardcompanion.sdk;

/**
 * The server's result codes for PIN distribution (SDK document, table 1).
 */
public final class DistributionCode {
    /** Success. */
    public static final int SUCCESS = 0;

    /** Missing bankId parameter. */
    public static final int MISSING_BANK_ID = 100;

    /** Missing uniqueId parameter. */
    public static final int MISSING_UNIQUE_ID = 101;

    /** Missing Authentication Code parameter. */
    public static final int MISSING_AUTHENTICATION_CODE = 102;

    /** Missing Timestamp parameter. */
    public static final int MISSING_TIMESTAMP = 103;

    /** Missing Hash parameter. */
    public static final int MISSING_HASH = 104;

    /** Missing status parameter. */
    public static final int MISSING_STATUS = 105;

    /** Missing RSA Public Key. */
    public static final int MISSING_RSA_PUBLIC_KEY = 106;

    /** Missing ECDH Public Key. */
    public static final int MISSING_ECDH_PUBLIC_KEY = 107;

    /** Missing Hashmac parameter. */
    public static final int MISSING_HASH_MAC = 108;

    /** Missing Transaction ID. */
    public static final int MISSING_TRANSACTION_ID = 109;

    /** Missing Signature. */
    public static final int MISSING_SIGNATURE = 110;

    /** Missing ID Fournisseur. */
    public static final int MISSING_FOURNISSEUR_ID = 111;

    /** Missing Type. */
    public static final int MISSING_TYPE = 112;

    /** Missing Token. */
    public static final int MISSING_TOKEN = 113;

    /** Invalid Timestamp. */
    public static final int INVALID_TIMESTAMP = 200;

    /** Bad Hash value. */
    public static final int BAD_HASH = 201;

    /** Invalid RSA Public Key. */
    public static final int INVALID_RSA_PUBLIC_KEY = 202;

    /** Wrong Authentication Code. */
    public static final int WRONG_AUTHENTICATION_CODE = 203;

    /** Bad Authentication Code format. */
    public static final int BAD_AUTHENTICATION_CODE_FORMAT = 204;

    /** Bad Hashmac value. */
    public static final int BAD_HASH_MAC = 205;

    /** Invalid Signature. */
    public static final int INVALID_SIGNATURE = 206;

    /** Invalid ECDH Public Key. */
    public static final int INVALID_ECDH_PUBLIC_KEY = 207;

    /** Invalid Token JSON Format. */
    public static final int INVALID_TOKEN_FORMAT = 208;

    /** Invalid Token Type. */
    public static final int INVALID_TOKEN_TYPE = 209;

    /** Given transaction ID has already been treated. */
    public static final int TRANSACTION_ALREADY_TREATED = 210;

    /** Bank not found. */
    public static final int BANK_NOT_FOUND = 300;

    /** Cardholder not found. */
    public static final int CARDHOLDER_NOT_FOUND = 301;

    /** Cardholder Status not satisfied for PIN delivery. */
    public static final int CARDHOLDER_STATUS_NOT_SATISFIED = 302;

    /** PIN not available. */
    public static final int PIN_NOT_AVAILABLE = 303;

    /** Internal Key not found. */
    public static final int INTERNAL_KEY_NOT_FOUND = 304;

    /** Unexpected crypto error. */
    public static final int UNEXPECTED_CRYPTO_ERROR = 305;

    /** Unknown Status code. */
    public static final int UNKNOWN_STATUS = 306;

    /** Retry Limit Reached. */
    public static final int RETRY_LIMIT_REACHED = 307;

    /** Incompatible bankId and uniqueId. */
    public static final int INCOMPATIBLE_BANK_AND_CARDHOLDER = 308;

    /** Incompatible Channel for Cardholder. */
    public static final int INCOMPATIBLE_CHANNEL = 309;

    /** Given parameter has bad value. */
    public static final int BAD_PARAMETER = 312;

    /** Unexpected error. */
    public static final int UNEXPECTED_ERROR = 500;

    private DistributionCode() {}
}
