package cardcompanion.tests;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server on this machine that records its requests, and answers as a test says. */
public final class TestServer implements AutoCloseable {
    /** What a test's server got. */
    public static final class Request {
        public final String method;
        public final String path;
        public final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        public final String body;

        Request(HttpExchange exchange) throws IOException {
            method = exchange.getRequestMethod();
            path = exchange.getRequestURI().getPath();
            exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
            body = read(exchange.getRequestBody());
        }

        private static String read(InputStream stream) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            byte[] chunk = new byte[8192];
            for (int count = stream.read(chunk); count >= 0; count = stream.read(chunk)) bytes.write(chunk, 0, count);
            return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
        }
    }

    /** What it answers. */
    public static final class Answer {
        public final Map<String, String> headers = new TreeMap<>();
        final int status;
        final byte[] body;

        public Answer(int status, byte[] body) {
            this.status = status;
            this.body = body;
        }

        public Answer(int status, String body) {
            this(status, body.getBytes(StandardCharsets.UTF_8));
        }

        public Answer with(String name, String value) {
            headers.put(name, value);
            return this;
        }
    }

    /** How it answers. Null is no answer: the connection is closed. */
    public interface Reaction {
        Answer to(Request request) throws Exception;
    }

    public final String url;
    public final List<Request> requests = Collections.synchronizedList(new ArrayList<>());
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    public TestServer(Reaction reaction) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> serve(exchange, reaction));
        server.setExecutor(threads);
        server.start();
        url = "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void serve(HttpExchange exchange, Reaction reaction) throws IOException {
        try {
            Request request = new Request(exchange);
            requests.add(request);
            Answer answer = reaction.to(request);
            if (answer == null) return;
            answer.headers.forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
            exchange.sendResponseHeaders(answer.status, answer.body.length == 0 ? -1 : answer.body.length);
            exchange.getResponseBody().write(answer.body);
        } catch (Exception error) {
            throw new IOException("the test's server: " + error);
        } finally {
            exchange.close();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
