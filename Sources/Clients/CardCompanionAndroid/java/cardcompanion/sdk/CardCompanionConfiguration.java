package cardcompanion.sdk;

import cardcompanion.sdk.internal.Base64Url;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/**
 * The settings of a {@link CardCompanionSession}. They do not change; each {@code with} method returns others, and
 * throws an IllegalArgumentException if the value makes no sense.
 */
public final class CardCompanionConfiguration {
    private static final int THUMBPRINT_BYTE_COUNT = 32;
    private static final int SHORTEST_PIN = 4;
    private static final int LONGEST_PIN = 12;

    private double timeoutSeconds = 30;
    private int maximumAnswerByteCount = 1 << 20;
    private Set<String> pinnedServerKeyThumbprints = Collections.emptySet();
    private boolean allowsPlainHTTP;
    private int minimumPINLength = SHORTEST_PIN;
    private int maximumPINLength = 6;

    /** Creates a configuration. The defaults are the SDK document's values. */
    public CardCompanionConfiguration() {}

    private CardCompanionConfiguration copy() {
        CardCompanionConfiguration copy = new CardCompanionConfiguration();
        copy.timeoutSeconds = timeoutSeconds;
        copy.maximumAnswerByteCount = maximumAnswerByteCount;
        copy.pinnedServerKeyThumbprints = pinnedServerKeyThumbprints;
        copy.allowsPlainHTTP = allowsPlainHTTP;
        copy.minimumPINLength = minimumPINLength;
        copy.maximumPINLength = maximumPINLength;
        return copy;
    }

    /**
     * How long one HTTP exchange can take, from the request to the end of the answer. A definition makes two. If the
     * server has too much to do, each is made up to three times, with a wait between them. Default: 30.
     *
     * @param seconds more than 0
     * @return the new configuration
     */
    public CardCompanionConfiguration withTimeoutSeconds(double seconds) {
        if (!(seconds > 0)) throw new IllegalArgumentException("the timeout must be more than 0 seconds");
        CardCompanionConfiguration copy = copy();
        copy.timeoutSeconds = seconds;
        return copy;
    }

    /**
     * The maximum size of an answer's body. A longer answer gives code 90003. Default: 1 MiB.
     *
     * @param byteCount more than 0
     * @return the new configuration
     */
    public CardCompanionConfiguration withMaximumAnswerByteCount(int byteCount) {
        if (byteCount <= 0) throw new IllegalArgumentException("the maximum must be more than 0 bytes");
        CardCompanionConfiguration copy = copy();
        copy.maximumAnswerByteCount = byteCount;
        return copy;
    }

    /**
     * The SHA-256 thumbprints of the server keys that a PIN may be encrypted to. They are those of RFC 7638, as the
     * server's operator sees them, and not hashes of a SubjectPublicKeyInfo. If empty, which is the default, every
     * key that the server publishes over TLS is accepted. Pin the current keys and the next ones, or definitions fail
     * when the keys change.
     *
     * @param thumbprints 43 characters in base64url each
     * @return the new configuration
     */
    public CardCompanionConfiguration withPinnedServerKeyThumbprints(String... thumbprints) {
        for (String thumbprint : thumbprints) {
            byte[] bytes = Base64Url.decode(thumbprint);
            if (bytes == null || bytes.length != THUMBPRINT_BYTE_COUNT) {
                throw new IllegalArgumentException("a thumbprint must be 32 bytes in base64url");
            }
        }
        CardCompanionConfiguration copy = copy();
        copy.pinnedServerKeyThumbprints = new HashSet<>(Arrays.asList(thumbprints));
        return copy;
    }

    /**
     * Whether plain HTTP to other hosts than this device is allowed. Only for tests in a private network. Android
     * also needs it in the app's network security configuration. Default: no.
     *
     * @param allows whether it is allowed
     * @return the new configuration
     */
    public CardCompanionConfiguration withPlainHTTPAllowed(boolean allows) {
        CardCompanionConfiguration copy = copy();
        copy.allowsPlainHTTP = allows;
        return copy;
    }

    /**
     * The allowed number of digits when the cardholder defines a PIN. Default: 4 to 6, as the SDK document says.
     *
     * @param minimum at least 4
     * @param maximum at most 12
     * @return the new configuration
     */
    public CardCompanionConfiguration withDefinedPINLengths(int minimum, int maximum) {
        if (minimum < SHORTEST_PIN || maximum < minimum || maximum > LONGEST_PIN) {
            throw new IllegalArgumentException("a PIN has 4 to 12 digits");
        }
        CardCompanionConfiguration copy = copy();
        copy.minimumPINLength = minimum;
        copy.maximumPINLength = maximum;
        return copy;
    }

    /**
     * See {@link #withTimeoutSeconds}.
     *
     * @return the limit of one HTTP exchange in seconds
     */
    public double getTimeoutSeconds() {
        return timeoutSeconds;
    }

    /**
     * See {@link #withMaximumAnswerByteCount}.
     *
     * @return the limit of an answer's body in bytes
     */
    public int getMaximumAnswerByteCount() {
        return maximumAnswerByteCount;
    }

    /**
     * See {@link #withPinnedServerKeyThumbprints}.
     *
     * @return the thumbprints
     */
    public Set<String> getPinnedServerKeyThumbprints() {
        return Collections.unmodifiableSet(pinnedServerKeyThumbprints);
    }

    /**
     * See {@link #withPlainHTTPAllowed}.
     *
     * @return whether plain HTTP to other hosts is allowed
     */
    public boolean allowsPlainHTTP() {
        return allowsPlainHTTP;
    }

    /**
     * See {@link #withDefinedPINLengths}.
     *
     * @return the smallest number of digits
     */
    public int getMinimumPINLength() {
        return minimumPINLength;
    }

    /**
     * See {@link #withDefinedPINLengths}.
     *
     * @return the largest number of digits
     */
    public int getMaximumPINLength() {
        return maximumPINLength;
    }
}
