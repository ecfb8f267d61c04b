package cardcompanion.sdk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import cardcompanion.sdk.internal.RetryWait;
import cardcompanion.tests.FakeServer;
import cardcompanion.tests.TestServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.Test;

/** A server that has too much to do: only its own answer lets the library send the same request again. */
public class OverloadTest {
    private static final String PROBLEM = "{\"type\":\"urn:card-companion:problem:overloaded\",\"status\":503}";
    private static final KeyPadCoordinatesParameters KEYPAD = new KeyPadCoordinatesParameters("BANK", "102456", 12);
    private static final ProvisioningParameters FETCH =
        new ProvisioningParameters("BANK", "102456", "4711", "1475255010", "ab12");
    private static final DefinitionParameters DEFINITION =
        new DefinitionParameters("BANK", "102456", "1475255010", "ab12", "1234");

    /** For how many seconds the library wanted to wait. */
    private final List<Integer> waits = Collections.synchronizedList(new ArrayList<>());
    private final CardCompanionSession session = session(waits::add);

    private static CardCompanionSession session(RetryWait wait) {
        return new CardCompanionSession(new CardCompanionConfiguration(), () -> 0, wait);
    }

    private static TestServer.Answer problem(int status, String mediaType, String body) {
        return new TestServer.Answer(status, body).with("Content-Type", mediaType).with("Retry-After", "7");
    }

    private static TestServer.Answer overloaded() {
        return problem(503, "application/problem+json", PROBLEM);
    }

    /** A server that has too much to do for the first requests. */
    private static TestServer overloadedFor(int count) throws Exception {
        AtomicInteger left = new AtomicInteger(count);
        FakeServer fake = new FakeServer();
        return new TestServer(request -> left.getAndDecrement() > 0 ? overloaded() : fake.to(request));
    }

    @Test
    public void aRequestIsSentTwiceMoreWithTheSameBytesAndTheThirdAnswerIsReturned() throws Exception {
        try (TestServer server = overloadedFor(Integer.MAX_VALUE)) {
            ProvisioningResponse response = session.postGetPINCaptchaRequest(FETCH, server.url);
            assertEquals(LibraryCode.SERVER_NOT_OK, response.errorCode);
            assertTrue(response.errorMessage, response.errorMessage.contains("HTTP status 503"));
            assertEquals(Integer.valueOf(7), response.retryAfterSeconds);
            assertEquals(3, server.requests.size());
            for (TestServer.Request request : server.requests) {
                assertEquals("/v1/pin-distribution/captcha", request.path);
                assertEquals("its key is new for each fetch", server.requests.get(0).body, request.body);
            }
            assertEquals(Arrays.asList(5, 5), waits);
        }
    }

    @Test
    public void anAnswerAfterAnOverloadCounts() throws Exception {
        for (int overloads = 1; overloads <= 2; overloads++) {
            waits.clear();
            try (TestServer server = overloadedFor(overloads)) {
                ProvisioningResponse response = session.postGetPINCaptchaRequest(FETCH, server.url);
                assertEquals(response.errorMessage, 0, response.errorCode);
                assertNull(response.retryAfterSeconds);
                assertEquals(overloads + 1, server.requests.size());
                assertEquals(overloads, waits.size());
            }
        }
    }

    @Test
    public void theServersKeysAreFetchedAgainTooAndTheDefinitionIsSentOnce() throws Exception {
        try (TestServer server = overloadedFor(1)) {
            assertEquals(0, session.postDefinePINRequest(DEFINITION, server.url).errorCode);
            List<String> paths = new ArrayList<>();
            for (TestServer.Request request : server.requests) paths.add(request.path);
            assertEquals(
                Arrays.asList("/.well-known/jwks.json", "/.well-known/jwks.json", "/v1/pin-definition/pin"), paths);
        }
    }

    @Test
    public void nothingElseIsSentAgain() throws Exception {
        TestServer.Answer[] others = {
            problem(503, "application/problem+json", "{\"type\":\"about:blank\",\"status\":503}"),
            problem(503, "application/problem+json", ""), problem(503, "application/json", PROBLEM),
            problem(429, "application/problem+json", PROBLEM), problem(500, "application/problem+json", PROBLEM),
            problem(503, "application/problem+json", PROBLEM + String.join("", Collections.nCopies(1 << 20, " "))),
        };
        for (TestServer.Answer answer : others) {
            try (TestServer server = new TestServer(request -> answer)) {
                KeyPadCoordinatesResponse response = session.postGetKeyPadCoordinatesRequest(KEYPAD, server.url);
                assertEquals(LibraryCode.SERVER_NOT_OK, response.errorCode);
                assertEquals(1, server.requests.size());
            }
        }
        assertEquals(Collections.emptyList(), waits);
    }

    @Test
    public void aThreadThatIsInterruptedWhileItWaitsSendsNothingMore() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        // It waits for an hour, so that the test ends only if the interrupt does end the wait.
        CardCompanionSession patient = session(seconds -> {
            waiting.countDown();
            TimeUnit.HOURS.sleep(1);
        });
        try (TestServer server = overloadedFor(Integer.MAX_VALUE)) {
            FutureTask<Boolean> task = new FutureTask<>(() -> {
                int code = patient.postGetKeyPadCoordinatesRequest(KEYPAD, server.url).errorCode;
                return code == LibraryCode.REQUEST_FAILED && Thread.currentThread().isInterrupted();
            });
            Thread thread = new Thread(task);
            thread.start();
            waiting.await();
            thread.interrupt();
            assertTrue("the code is 90006, and the thread stays interrupted", task.get());
            assertEquals(1, server.requests.size());
        }
    }
}
