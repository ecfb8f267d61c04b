package cardcompanion.sdk.internal;

import java.util.Locale;

/**
 * Decides whether a request is sent again because the server had too much to do. The server says so with status 503 and
 * a problem of its own type. It has then used nothing of the request: no token, hashMac, nonce or attempt. So the same
 * bytes can be sent again. Any other 503 does not promise that, and is never retried.
 */
public final class OverloadRetry {
    /** How often a request is sent at most. */
    public static final int MAXIMUM_SEND_COUNT = 3;
    /** What stands for the seconds to wait when the answer is for the caller. */
    public static final int NO_RETRY = -1;

    private static final int UNAVAILABLE = 503;
    private static final int SHORTEST_SECONDS = 1;
    private static final int LONGEST_SECONDS = 5;
    private static final String MEDIA_TYPE = "application/problem+json";
    private static final String PROBLEM_TYPE = "urn:card-companion:problem:overloaded";

    private OverloadRetry() {}

    /** Whether an answer can be such a problem, so that its body is worth reading. */
    public static boolean canBe(int status, String contentType) {
        if (status != UNAVAILABLE || contentType == null) return false;
        return contentType.split(";", 2)[0].trim().toLowerCase(Locale.ROOT).equals(MEDIA_TYPE);
    }

    /**
     * After how many seconds the same bytes are sent again, before the random factor; NO_RETRY if the answer is for the
     * caller.
     *
     * @param sendCount how often the request was sent
     */
    public static int secondsToWait(
            int status, String contentType, String retryAfter, byte[] body, int sendCount) {
        boolean isRetried =
            sendCount < MAXIMUM_SEND_COUNT && canBe(status, contentType) && hasRightType(body);
        return isRetried ? seconds(retryAfter) : NO_RETRY;
    }

    /** Half to one and a half of the seconds, so that clients do not come back all at once. Random is from 0 to 1. */
    public static long jitteredMilliseconds(int seconds, double random) {
        return (long) (seconds * 1000 * (0.5 + random));
    }

    private static boolean hasRightType(byte[] body) {
        try {
            return PROBLEM_TYPE.equals(JsonParser.object(body).text("type"));
        } catch (JsonException error) {
            return false;
        }
    }

    private static int seconds(String retryAfter) {
        String text = retryAfter == null ? "" : retryAfter.trim();
        if (!text.matches("[0-9]+")) return SHORTEST_SECONDS;
        try {
            return Math.max(SHORTEST_SECONDS, Math.min(Integer.parseInt(text), LONGEST_SECONDS));
        } catch (NumberFormatException error) {
            return LONGEST_SECONDS;
        }
    }
}
