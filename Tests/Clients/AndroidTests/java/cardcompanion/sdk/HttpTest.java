package cardcompanion.sdk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import cardcompanion.tests.FakeServer;
import cardcompanion.tests.TestServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.Test;

/** What becomes of answers that are none, late, too large or not what they should be. */
public class HttpTest {
    private static final KeyPadCoordinatesParameters PARAMETERS = new KeyPadCoordinatesParameters("BANK", "102456", 12);

    /** Too long for a name, so that nobody is asked for its address. */
    private static final String NO_HOST = String.join("", Collections.nCopies(64, "a")) + ".invalid";

    private static KeyPadCoordinatesResponse request(String url, CardCompanionConfiguration configuration) {
        return new CardCompanionSession(configuration).postGetKeyPadCoordinatesRequest(PARAMETERS, url);
    }

    private static KeyPadCoordinatesResponse request(TestServer.Answer answer) throws Exception {
        try (TestServer server = new TestServer(request -> answer)) {
            return request(server.url, new CardCompanionConfiguration());
        }
    }

    @Test
    public void aRequestIsJSONWithAFixedLengthOnAConnectionOfItsOwn() throws Exception {
        try (TestServer server = new TestServer(new FakeServer())) {
            assertEquals(0, request(server.url + "/", new CardCompanionConfiguration()).errorCode);
            TestServer.Request request = server.requests.get(0);
            assertEquals("POST", request.method);
            assertEquals("/v1/pin-definition/keypad-coordinates", request.path);
            assertEquals("{\"bankId\":\"BANK\",\"uniqueId\":\"102456\",\"keypadSize\":12}", request.body);
            assertEquals("application/json", request.headers.get("Content-Type"));
            assertEquals(String.valueOf(request.body.length()), request.headers.get("Content-Length"));
            assertEquals("close", request.headers.get("Connection"));
        }
    }

    @Test
    public void anotherStatusThan200IsOneCode() throws Exception {
        for (int status : new int[] {201, 204, 301, 302, 307, 400, 401, 404, 407, 413, 415, 429, 500, 503}) {
            KeyPadCoordinatesResponse response = request(new TestServer.Answer(status, "").with("Location", "/other"));
            assertEquals("status " + status, LibraryCode.SERVER_NOT_OK, response.errorCode);
            assertTrue(response.errorMessage, response.errorMessage.contains("HTTP status " + status));
            assertNull(response.retryAfterSeconds);
        }
    }

    @Test
    public void redirectsAreNotFollowed() throws Exception {
        try (TestServer server = new TestServer(
                request -> new TestServer.Answer(307, "").with("Location", "http://127.0.0.1:1/stolen"))) {
            assertEquals(LibraryCode.SERVER_NOT_OK, request(server.url, new CardCompanionConfiguration()).errorCode);
            assertEquals(1, server.requests.size());
        }
    }

    @Test
    public void retryAfterCountsInSecondsForStatus429And503() throws Exception {
        assertEquals(Integer.valueOf(7), retryAfter(429, "7"));
        assertEquals(Integer.valueOf(0), retryAfter(503, "0"));
        assertNull(retryAfter(500, "7"));
        assertNull(retryAfter(503, "Thu, 26 Nov 2026 11:00:00 GMT"));
        assertNull(retryAfter(503, "-1"));
        assertNull(retryAfter(503, "99999999999"));
    }

    private static Integer retryAfter(int status, String value) throws Exception {
        return request(new TestServer.Answer(status, "{}").with("Retry-After", value)).getRetryAfterSeconds();
    }

    @Test
    public void anAnswerWithoutABodyIsNull() throws Exception {
        assertEquals(LibraryCode.EMPTY_ANSWER, request(new TestServer.Answer(200, "")).errorCode);
    }

    @Test
    public void anAnswerThatIsNotTheJSONOfTheOperationHasABadFormat() throws Exception {
        String[] bodies = {
            "<html>", "[]", "\"text\"", "{}", "{\"errorCode\":0}", "{\"errorMessage\":\"Success\"}",
            "{\"errorCode\":\"0\",\"errorMessage\":\"Success\"}", "{\"errorCode\":0.5,\"errorMessage\":\"\"}",
            "{\"errorCode\":101,\"errorCode\":0,\"errorMessage\":\"Success\"}",
            "{\"errorCode\":0,\"errorMessage\":\"\"}",
            "{\"errorCode\":0,\"errorMessage\":\"\",\"keypad\":[\"1\"],\"keypadId\":\"k\"}",
            "\uFEFF{\"errorCode\":101,\"errorMessage\":\"\"}",
        };
        for (String body : bodies) {
            assertEquals(body, LibraryCode.BAD_ANSWER_FORMAT, request(new TestServer.Answer(200, body)).errorCode);
        }
        byte[] notUTF8 = "{\"errorCode\":101,\"errorMessage\":\"é\"}".getBytes(StandardCharsets.ISO_8859_1);
        assertEquals(LibraryCode.BAD_ANSWER_FORMAT, request(new TestServer.Answer(200, notUTF8)).errorCode);
    }

    @Test
    public void membersThatAreNotKnownAreIgnored() throws Exception {
        String body = "{\"errorCode\":101,\"errorMessage\":\"no bank\",\"retryAfterSeconds\":9,"
            + "\"new\":{\"deep\":[1,null,18446744073709551615]}}";
        KeyPadCoordinatesResponse response = request(new TestServer.Answer(200, body));
        assertEquals(101, response.errorCode);
        assertEquals("no bank", response.getErrorMessage());
        assertFalse(response.isSuccess());
        assertNull("only HTTP's Retry-After counts", response.retryAfterSeconds);
        assertTrue(response.getKeypad().isEmpty());
    }

    @Test
    public void aTooLargeAnswerHasABadFormat() throws Exception {
        String body = "{\"errorCode\":101,\"errorMessage\":\"no bank\"}";
        try (TestServer server = new TestServer(request -> new TestServer.Answer(200, body))) {
            CardCompanionConfiguration configuration = new CardCompanionConfiguration();
            int size = body.length();
            assertEquals(101, request(server.url, configuration.withMaximumAnswerByteCount(size)).errorCode);
            KeyPadCoordinatesResponse response =
                request(server.url, configuration.withMaximumAnswerByteCount(size - 1));
            assertEquals(LibraryCode.BAD_ANSWER_FORMAT, response.errorCode);
            assertTrue(response.errorMessage, response.errorMessage.contains("too large"));
        }
    }

    @Test
    public void aRefusedConnectionIsNoNetwork() {
        KeyPadCoordinatesResponse response = request("http://127.0.0.1:1", new CardCompanionConfiguration());
        assertEquals(LibraryCode.NO_NETWORK, response.errorCode);
    }

    @Test
    public void aHostThatDoesNotExistIsNoNetwork() {
        KeyPadCoordinatesResponse response = request("https://" + NO_HOST, new CardCompanionConfiguration());
        assertEquals(LibraryCode.NO_NETWORK, response.errorCode);
    }

    @Test
    public void aClosedConnectionIsAFailedRequest() throws Exception {
        try (TestServer server = new TestServer(request -> null)) {
            assertEquals(LibraryCode.REQUEST_FAILED, request(server.url, new CardCompanionConfiguration()).errorCode);
            assertEquals("it is not sent again", 1, server.requests.size());
        }
    }

    @Test
    public void whatIsNoHTTPIsAFailedRequest() throws Exception {
        try (RawServer server = new RawServer("nonsense\r\n\r\n", true)) {
            assertEquals(LibraryCode.REQUEST_FAILED, request(server.url, new CardCompanionConfiguration()).errorCode);
        }
    }

    @Test
    public void aServerThatDoesNotAnswerIsLate() throws Exception {
        assertLate("");
    }

    @Test
    public void aBodyThatDoesNotEndIsLate() throws Exception {
        assertLate("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
    }

    @Test
    public void aChunkedBodyThatDoesNotEndIsLate() throws Exception {
        assertLate("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{    \r\n");
    }

    private static void assertLate(String answer) throws Exception {
        try (RawServer server = new RawServer(answer, false)) {
            KeyPadCoordinatesResponse response =
                request(server.url, new CardCompanionConfiguration().withTimeoutSeconds(0.2));
            assertEquals(LibraryCode.REQUEST_FAILED, response.errorCode);
            assertTrue(response.errorMessage, response.errorMessage.contains("within 0.2 seconds"));
        }
    }

    @Test
    public void anInterruptedThreadStopsWaiting() throws Exception {
        try (RawServer server = new RawServer("", false)) {
            Thread.currentThread().interrupt();
            KeyPadCoordinatesResponse response = request(server.url, new CardCompanionConfiguration());
            assertTrue("it stays interrupted", Thread.interrupted());
            assertEquals(LibraryCode.REQUEST_FAILED, response.errorCode);
        }
    }

    /** Takes connections, sends some bytes, and closes or waits. */
    private static final class RawServer implements AutoCloseable {
        final String url;
        private final ServerSocket socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        private final List<Socket> connections = Collections.synchronizedList(new ArrayList<>());

        RawServer(String answer, boolean closes) throws IOException {
            url = "http://127.0.0.1:" + socket.getLocalPort();
            Thread thread = new Thread(() -> {
                try {
                    for (;;) {
                        Socket connection = socket.accept();
                        connections.add(connection);
                        // The head of the request, so that closing does not reset the connection.
                        byte[] request = new byte[4096];
                        if (connection.getInputStream().read(request) < 0) continue;
                        OutputStream stream = connection.getOutputStream();
                        stream.write(answer.getBytes(StandardCharsets.US_ASCII));
                        stream.flush();
                        if (closes) connection.shutdownOutput();
                    }
                } catch (IOException error) {
                    // The test is over.
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void close() throws IOException {
            socket.close();
            for (Socket connection : connections) connection.close();
        }
    }

    @Test
    public void theHostMustBeHTTPSButForThisMachine() {
        String[] refused = {
            null, "", "host", "ftp://host", "http://host", "http://10.0.0.1", "http://127.0.0.1.example", "https://",
            "https://user@host", "https://user:password@127.0.0.1", "https://host?query", "https://host#fragment",
            "https://host:0", "https://host:65536", "https://ho st", "https://host\\@evil", "http://128.0.0.1",
            "http://localhost.example", "javascript:alert(1)", "https:host", "//host", "http://127.1",
        };
        for (String url : refused) {
            assertEquals(url, LibraryCode.INVALID_INPUT, request(url, new CardCompanionConfiguration()).errorCode);
        }
    }

    @Test
    public void plainHTTPToThisMachineIsTaken() {
        String[] hosts = {"http://127.0.0.1:1", "HTTP://localhost:1", "http://[::1]:1", "https://[::1]:1"};
        for (String host : hosts) {
            KeyPadCoordinatesResponse response = request(host, new CardCompanionConfiguration());
            assertNotEquals(host + ": " + response, LibraryCode.INVALID_INPUT, response.errorCode);
        }
    }

    @Test
    public void plainHTTPToAnotherHostCanBeAllowed() {
        KeyPadCoordinatesResponse response =
            request("http://" + NO_HOST, new CardCompanionConfiguration().withPlainHTTPAllowed(true));
        assertEquals(LibraryCode.NO_NETWORK, response.errorCode);
    }

    @Test
    public void thePathOfTheHostIsKept() throws Exception {
        try (TestServer server = new TestServer(request -> FakeServer.json(FakeServer.answer(101)))) {
            request(server.url + "/base/path/", new CardCompanionConfiguration());
            assertEquals("/base/path/v1/pin-definition/keypad-coordinates", server.requests.get(0).path);
        }
    }
}
