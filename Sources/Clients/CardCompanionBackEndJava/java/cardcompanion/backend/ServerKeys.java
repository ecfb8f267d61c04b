package cardcompanion.backend;

import cardcompanion.sdk.internal.Base64Url;
import cardcompanion.sdk.internal.JsonException;
import cardcompanion.sdk.internal.JsonObject;
import cardcompanion.sdk.internal.JsonParser;
import cardcompanion.sdk.internal.LibraryException;
import cardcompanion.sdk.internal.OverloadRetry;
import cardcompanion.sdk.internal.P256;
import cardcompanion.sdk.internal.RetryWait;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.PublicKey;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The server's signing keys, from its {@code /.well-known/jwks.json}.
 *
 * <p>The server publishes a new key before it uses it. So the keys are fetched anew if a key is not among them, but not again before ten
 * seconds have passed: anyone can name a key that does not exist. They are also fetched anew after an hour, so that a key that the server
 * has withdrawn does not count for long.
 */
public final class ServerKeys {
    private static final long LIFETIME_SECONDS = 3600;
    private static final long PAUSE_SECONDS = 10;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int BYTE_COUNT_LIMIT = 1 << 20;
    private static final Set<String> HOSTS_OF_THIS_DEVICE = Set.of("127.0.0.1", "[::1]", "localhost");

    /** Where the keys come from. */
    interface Source {
        byte[] fetch(URI url) throws IOException;
    }

    private final URI url;
    private final Source source;
    private final LongSupplier seconds;
    private List<JsonObject> keys = List.of();
    private Long fetchedAt;
    private Long triedAt;
    private Exception failure;

    /**
     * Fetches keys with a client of its own.
     *
     * @param server the server's URL, such as {@code https://pin.example.com}; http only for this device
     * @throws IllegalArgumentException if the URL is wrong
     */
    public ServerKeys(URI server) {
        this(server, HttpClient.newBuilder().connectTimeout(TIMEOUT).build());
    }

    /**
     * Fetches keys with a client of the bank, for example one that shows a certificate.
     *
     * @param server the server's URL, such as {@code https://pin.example.com}; http only for this device
     * @param client must not follow redirects
     * @throws IllegalArgumentException if the URL is wrong, or the client follows redirects
     */
    public ServerKeys(URI server, HttpClient client) {
        this(server, from(client), () -> System.nanoTime() / 1_000_000_000);
    }

    ServerKeys(URI server, Source source, LongSupplier seconds) {
        boolean isOwn = "http".equals(server.getScheme()) && HOSTS_OF_THIS_DEVICE.contains(String.valueOf(server.getHost()));
        if (server.getHost() == null || !(isOwn || "https".equals(server.getScheme()))) {
            throw new IllegalArgumentException("the server's URL must begin with https:// (is " + server + ")");
        }
        url = URI.create(server.toString().replaceAll("/+$", "") + "/.well-known/jwks.json");
        this.source = source;
        this.seconds = seconds;
    }

    /** Null if the server has no such key. */
    synchronized PublicKey signingKey(String keyId) throws KeysUnavailableException {
        JsonObject key = find(keyId);
        boolean isOld = fetchedAt == null || seconds.getAsLong() - fetchedAt >= LIFETIME_SECONDS;
        if (key == null || isOld) {
            update();
            key = find(keyId);
        }
        return key == null ? null : publicKey(key);
    }

    /** Fetches the keys, unless that was tried a moment ago. What came of that counts until then. */
    private void update() throws KeysUnavailableException {
        long now = seconds.getAsLong();
        if (triedAt == null || now - triedAt >= PAUSE_SECONDS) {
            triedAt = now;
            failure = null;
            try {
                keys = read(source.fetch(url));
                fetchedAt = now;
            } catch (IOException | JsonException error) {
                failure = error;
            }
        }
        if (failure != null) {
            throw new KeysUnavailableException("the server's keys cannot be fetched from " + url + ": " + failure, failure);
        }
    }

    private static List<JsonObject> read(byte[] content) throws JsonException {
        List<JsonObject> keys = JsonParser.object(content).objects("keys");
        if (keys == null) throw new JsonException("the answer has no list of keys");
        return keys;
    }

    private JsonObject find(String keyId) throws KeysUnavailableException {
        try {
            for (JsonObject key : keys) {
                if ("sig".equals(key.text("use")) && keyId.equals(key.text("kid"))) return key;
            }
            return null;
        } catch (JsonException error) {
            throw new KeysUnavailableException("the server's keys cannot be read: " + error.getMessage(), error);
        }
    }

    private static PublicKey publicKey(JsonObject key) throws KeysUnavailableException {
        try {
            byte[] x = Base64Url.decode(key.text("x"));
            byte[] y = Base64Url.decode(key.text("y"));
            boolean isP256 = "EC".equals(key.text("kty")) && "P-256".equals(key.text("crv"))
                && (!key.has("alg") || "ES256".equals(key.text("alg"))) && hasLength(x) && hasLength(y);
            if (isP256) return P256.publicKey(x, y);
            throw new KeysUnavailableException("the server's key cannot be read: it is not a key of P-256 for ES256", null);
        } catch (JsonException | LibraryException error) {
            throw new KeysUnavailableException("the server's key cannot be read: " + error.getMessage(), error);
        }
    }

    private static boolean hasLength(byte[] coordinate) {
        return coordinate != null && coordinate.length == P256.COORDINATE_BYTE_COUNT;
    }

    private static Source from(HttpClient client) {
        if (client.followRedirects() != HttpClient.Redirect.NEVER) {
            throw new IllegalArgumentException("the client must not follow redirects");
        }
        return url -> fetch(client, url, RetryWait.REAL);
    }

    /** If the server has too much to do, it is asked up to three times. */
    static byte[] fetch(HttpClient client, URI url, RetryWait wait) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(url).timeout(TIMEOUT).build();
        try {
            for (int sendCount = 1;; sendCount++) {
                HttpResponse<InputStream> answer = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
                byte[] content = content(answer);
                if (answer.statusCode() == 200) return content;
                int seconds = OverloadRetry.secondsToWait(
                    answer.statusCode(), field(answer, "Content-Type"), field(answer, "Retry-After"), content, sendCount);
                if (seconds == OverloadRetry.NO_RETRY) throw new IOException("the status is " + answer.statusCode());
                wait.about(seconds);
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new IOException("the thread was interrupted", error);
        }
    }

    /** The body; empty if it cannot matter. */
    private static byte[] content(HttpResponse<InputStream> answer) throws IOException {
        try (InputStream stream = answer.body()) {
            boolean isRead = answer.statusCode() == 200 || OverloadRetry.canBe(answer.statusCode(), field(answer, "Content-Type"));
            byte[] content = isRead ? stream.readNBytes(BYTE_COUNT_LIMIT + 1) : new byte[0];
            if (content.length > BYTE_COUNT_LIMIT) throw new IOException("the answer has more than " + BYTE_COUNT_LIMIT + " bytes");
            return content;
        }
    }

    private static String field(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse(null);
    }
}
