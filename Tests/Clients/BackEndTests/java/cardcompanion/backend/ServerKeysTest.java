package cardcompanion.backend;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public final class ServerKeysTest {
    private final Vectors vectors = new Vectors();
    private final String known = vectors.named("serverKeys", "server-signing").object("jwk").text("kid");
    private byte[] content = vectors.jwks();
    private long now;
    private int fetches;
    private final ServerKeys keys = new ServerKeys(Vectors.SERVER, this::fetch, () -> now);

    public ServerKeysTest() throws Exception {}

    private byte[] fetch(URI url) throws IOException {
        assertEquals("https://pin.example.com/.well-known/jwks.json", url.toString());
        fetches++;
        if (content == null) throw new IOException("refused");
        return content;
    }

    @Test
    public void knownKeysAreFetchedOnce() throws Exception {
        for (int number = 0; number < 3; number++) assertNotNull(keys.signingKey(known));
        assertEquals(1, fetches);
    }

    @Test
    public void aNewKeyIsFetchedAndAnUnknownOneNotAgainAndAgain() throws Exception {
        byte[] all = content;
        content = Vectors.utf8("{\"keys\":[]}");
        for (now = 0; now < 30; now++) {
            for (int number = 0; number < 10; number++) assertNull(keys.signingKey("unknown " + number));
        }
        assertEquals(3, fetches);
        content = all;
        assertNotNull(keys.signingKey(known));
    }

    @Test
    public void aWithdrawnKeyDoesNotCountForLong() throws Exception {
        assertNotNull(keys.signingKey(known));
        content = Vectors.utf8("{\"keys\":[]}");
        now = 3599;
        assertNotNull(keys.signingKey(known));
        now = 3600;
        assertNull(keys.signingKey(known));
    }

    @Test
    public void aFailureCountsForSomeSeconds() throws Exception {
        byte[] all = content;
        content = null;
        for (int number = 0; number < 3; number++) assertThrows(KeysUnavailableException.class, () -> keys.signingKey(known));
        assertEquals(1, fetches);
        content = all;
        now = 10;
        assertNotNull(keys.signingKey(known));
        content = null;
        now = 100;
        assertThrows(KeysUnavailableException.class, () -> keys.signingKey("unknown"));
        assertNotNull(keys.signingKey(known));
    }

    @Test
    public void keysThatCannotBeReadAreRefused() throws Exception {
        assertNull(keys.signingKey(vectors.named("serverKeys", "server-encryption").object("jwk").text("kid")));
        String key = "{\"keys\":[{\"use\":\"sig\",\"kid\":\"k\",\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"%s\",\"y\":\"%s\"}]}";
        String zero = "A".repeat(43);
        for (String wrong : List.of(
            String.format(key, zero, zero), String.format(key, "#", zero), String.format(key, "AA", zero),
            String.format(key, zero, zero).replace("P-256", "P-384"), "", "[]", "{}", "{\"keys\":[1]}", "<html>",
            "{\"keys\":[{\"use\":1}]}")) {
            ServerKeys others = new ServerKeys(Vectors.SERVER, url -> Vectors.utf8(wrong), () -> 0);
            assertThrows(wrong, KeysUnavailableException.class, () -> others.signingKey("k"));
        }
    }

    @Test
    public void onlyHttpsAndThisDeviceAreAllowed() {
        for (String url : List.of("http://pin.example.com", "pin.example.com", "ftp://pin.example.com", "https:/x", "file:///keys")) {
            assertThrows(url, IllegalArgumentException.class, () -> new ServerKeys(URI.create(url)));
        }
        for (String url : List.of("https://pin.example.com:8443", "http://127.0.0.1:8080/", "http://localhost", "http://[::1]:80")) {
            new ServerKeys(URI.create(url));
        }
        HttpClient follower = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
        assertThrows(IllegalArgumentException.class, () -> new ServerKeys(Vectors.SERVER, follower));
    }

    @Test
    public void keysComeOverHttpAndRedirectsAreRefused() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        int[] status = {200};
        server.createContext("/.well-known/jwks.json", exchange -> {
            exchange.getResponseHeaders().add("Location", "/.well-known/jwks.json?again");
            exchange.sendResponseHeaders(status[0], content.length);
            exchange.getResponseBody().write(content);
            exchange.close();
        });
        server.start();
        try {
            URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
            assertNotNull(new ServerKeys(url).signingKey(known));
            for (int other : new int[] {201, 302, 307, 404, 500}) {
                status[0] = other;
                assertThrows("" + other, KeysUnavailableException.class, () -> new ServerKeys(url).signingKey(known));
            }
            status[0] = 200;
            content = new byte[(1 << 20) + 1];
            assertThrows(KeysUnavailableException.class, () -> new ServerKeys(url).signingKey(known));
        } finally {
            server.stop(0);
        }
    }

    /** How often a server is asked that answers so, at first {@code refusals} times. The waits are added to the list. */
    private int requests(String mediaType, String problem, int refusals, List<Integer> waits) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        int[] count = {0};
        server.createContext("/", exchange -> {
            boolean isRefused = ++count[0] <= refusals;
            byte[] body = isRefused ? Vectors.utf8(problem) : content;
            exchange.getResponseHeaders().add("Content-Type", mediaType);
            exchange.getResponseHeaders().add("Retry-After", "2");
            exchange.sendResponseHeaders(isRefused ? 503 : 200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
            ServerKeys.fetch(HttpClient.newHttpClient(), url, waits::add);
        } catch (IOException error) {
            assertEquals("the status is 503", error.getMessage());
        } finally {
            server.stop(0);
        }
        return count[0];
    }

    @Test
    public void onlyAnOverloadedServerIsAskedAgainUpToThreeTimes() throws Exception {
        String mediaType = "application/problem+json";
        String problem = "{\"type\":\"urn:card-companion:problem:overloaded\",\"status\":503}";
        List<Integer> waits = new ArrayList<>();
        assertEquals(2, requests(mediaType, problem, 1, waits));
        assertEquals(List.of(2), waits);
        assertEquals(3, requests(mediaType, problem, 9, waits));
        assertEquals(List.of(2, 2, 2), waits);
        assertEquals(1, requests(mediaType, "{\"type\":\"about:blank\",\"status\":503}", 9, waits));
        assertEquals(1, requests(mediaType, "", 9, waits));
        assertEquals(1, requests("application/json", problem, 9, waits));
        assertEquals(3, waits.size());
    }
}
