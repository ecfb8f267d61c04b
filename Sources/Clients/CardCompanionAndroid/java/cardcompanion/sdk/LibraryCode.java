package cardcompanion.sdk;

/**
 * The result codes of errors that this library detects, not the server (SDK document, end of tables 1 and 3).
 */
public final class LibraryCode {
    /** Null/Invalid input parameters. The message says which, and what to do. */
    public static final int INVALID_INPUT = 90000;

    /** No Network: the server cannot be reached. */
    public static final int NO_NETWORK = 90001;

    /** Null received data: the answer has no body. */
    public static final int EMPTY_ANSWER = 90002;

    /** Received data has bad format: the answer is not the JSON of this operation, or is too large. */
    public static final int BAD_ANSWER_FORMAT = 90003;

    /** Generating/recovering RSA Keys problem. */
    public static final int RSA_KEY_GENERATION_FAILED = 90004;

    /** Data decryption or data decoding problem. */
    public static final int DECRYPTION_FAILED = 90005;

    /** Request failed: no whole answer in time, or TLS failed. */
    public static final int REQUEST_FAILED = 90006;

    /** PIN bad length (4 to 6 digits) or bad format. */
    public static final int BAD_PIN_FORMAT = 90007;

    /** Generating/recovering ECDH Keys problem. */
    public static final int EC_KEY_GENERATION_FAILED = 90008;

    /**
     * ECDH key doesn't belong to the elliptic curve – maybe an imposter. Also: the app has pinned none of the
     * server's keys.
     */
    public static final int UNTRUSTED_SERVER_KEY = 90009;

    /** Shared secret computation failed. */
    public static final int KEY_AGREEMENT_FAILED = 90010;

    /** PIN parsing failed. */
    public static final int PLAINTEXT_NOT_PARSED = 90011;

    /** Failed to xor the AES key and get it back. */
    public static final int CONTENT_KEY_NOT_UNWRAPPED = 90012;

    /**
     * The received PIN seems to be incomplete: the images do not match its length. There is a session, so the app
     * can notify the server.
     */
    public static final int INCOMPLETE_PIN = 90013;

    /** Failed to convert ECDH key into public key. */
    public static final int UNREADABLE_EC_KEY = 90014;

    /** Server's response not OK, request is not successful: the HTTP status is not 200. */
    public static final int SERVER_NOT_OK = 90015;

    /**
     * The meaning of a code, in the SDK document's words. Some of them name the algorithms of an older SDK.
     *
     * @param code one of the codes of this class
     * @return the message; an empty text for any other number
     */
    public static String message(int code) {
        switch (code) {
            case INVALID_INPUT: return "Null/Invalid input parameters";
            case NO_NETWORK: return "No Network";
            case EMPTY_ANSWER: return "Null received data";
            case BAD_ANSWER_FORMAT: return "Received data has bad format";
            case RSA_KEY_GENERATION_FAILED: return "Generating/recovering RSA Keys problem";
            case DECRYPTION_FAILED: return "Data decryption or data decoding problem";
            case REQUEST_FAILED: return "Request failed";
            case BAD_PIN_FORMAT: return "PIN bad length (4 to 6 digits) or bad format";
            case EC_KEY_GENERATION_FAILED: return "Generating/recovering ECDH Keys problem";
            case UNTRUSTED_SERVER_KEY: return "ECDH key doesn't belong to the elliptic curve – maybe an imposter";
            case KEY_AGREEMENT_FAILED: return "Shared secret computation failed";
            case PLAINTEXT_NOT_PARSED: return "PIN parsing failed";
            case CONTENT_KEY_NOT_UNWRAPPED: return "Failed to xor the AES key and get it back";
            case INCOMPLETE_PIN: return "The received PIN seems to be incomplete";
            case UNREADABLE_EC_KEY: return "Failed to convert ECDH key into public key";
            case SERVER_NOT_OK: return "Server's response not OK, request is not successful";
            default: return "";
        }
    }

    private LibraryCode() {}
}
