package cardcompanion.sdk.internal;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.Test;

/** Which answers let the library send a request again, and after how long. */
public class OverloadRetryTest {
    private static final String MEDIA_TYPE = "application/problem+json";
    private static final String PROBLEM =
        "{\"type\":\"urn:card-companion:problem:overloaded\",\"title\":\"Service Unavailable\",\"status\":503}";

    private static int seconds(int status, String contentType, String retryAfter, String body, int sendCount) {
        return OverloadRetry.secondsToWait(
            status, contentType, retryAfter, body.getBytes(StandardCharsets.UTF_8), sendCount);
    }

    private static int secondsOf(String retryAfter) {
        return seconds(503, MEDIA_TYPE, retryAfter, PROBLEM, 1);
    }

    @Test
    public void retryAfterCountsFromOneToFiveSeconds() {
        assertEquals(1, secondsOf("1"));
        assertEquals(3, secondsOf(" 3 "));
        assertEquals(5, secondsOf("5"));
        for (String larger : new String[] {"6", "120", "99999999999999999999"}) assertEquals(larger, 5, secondsOf(larger));
        assertEquals(1, secondsOf("0"));
    }

    @Test
    public void aRetryAfterThatIsMissingOrCannotBeReadCountsAsOne() {
        String[] texts = {null, "", "-2", "+2", "1.5", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"};
        for (String text : texts) assertEquals(text, 1, secondsOf(text));
    }

    @Test
    public void theThirdAnswerIsForTheCaller() {
        assertEquals(2, seconds(503, MEDIA_TYPE, "2", PROBLEM, 1));
        assertEquals(2, seconds(503, MEDIA_TYPE, "2", PROBLEM, 2));
        assertEquals(OverloadRetry.NO_RETRY, seconds(503, MEDIA_TYPE, "2", PROBLEM, 3));
        assertEquals(OverloadRetry.NO_RETRY, seconds(503, MEDIA_TYPE, "2", PROBLEM, 4));
    }

    @Test
    public void theMediaTypeCanHaveParametersAndCapitals() {
        for (String type : new String[] {"Application/Problem+JSON", MEDIA_TYPE + "; charset=utf-8", MEDIA_TYPE + " ;q=1"}) {
            assertEquals(type, 2, seconds(503, type, "2", PROBLEM, 1));
        }
    }

    @Test
    public void anyOtherAnswerIsForTheCaller() {
        for (int status : new int[] {200, 429, 500}) {
            assertEquals(OverloadRetry.NO_RETRY, seconds(status, MEDIA_TYPE, "2", PROBLEM, 1));
        }
        for (String type : new String[] {null, "", "application/json", MEDIA_TYPE + "x"}) {
            assertEquals(type, OverloadRetry.NO_RETRY, seconds(503, type, "2", PROBLEM, 1));
        }
        String[] bodies = {
            "", "{}", "[]", "overloaded", "{\"type\":\"about:blank\"}", "{\"type\":7}",
            "{\"type\":\"urn:card-companion:problem:overloaded:other\"}",
            PROBLEM.replace("}", ",\"type\":\"about:blank\"}"),
        };
        for (String body : bodies) assertEquals(body, OverloadRetry.NO_RETRY, seconds(503, MEDIA_TYPE, "2", body, 1));
    }

    @Test
    public void theWaitIsBetweenHalfAndOneAndAHalfOfTheSeconds() {
        assertEquals(1000, OverloadRetry.jitteredMilliseconds(2, 0));
        assertEquals(2000, OverloadRetry.jitteredMilliseconds(2, 0.5));
        assertEquals(3000, OverloadRetry.jitteredMilliseconds(2, 1));
        for (int number = 0; number < 1000; number++) {
            long milliseconds = OverloadRetry.jitteredMilliseconds(1, Math.random());
            assertTrue(String.valueOf(milliseconds), milliseconds >= 500 && milliseconds <= 1500);
        }
    }
}
