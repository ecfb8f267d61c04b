package cardcompanion.tests;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An HTTP server on this machine that records its requests, and answers as a test says, one request on each
 * connection. (The JDK's own server sometimes resets a connection that should be closed after its request.)
 */
public final class TestServer implements AutoCloseable {
    /** What a test's server got. */
    public static final class Request {
        public final String method;
        public final String path;
        public final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        public final String body;

        Request(InputStream stream) throws IOException {
            String[] start = line(stream).split(" ");
            method = start[0];
            path = start[1];
            for (String line = line(stream); !line.isEmpty(); line = line(stream)) {
                String[] header = line.split(": ", 2);
                headers.put(header[0], header[1]);
            }
            byte[] bytes = new byte[Integer.parseInt(headers.getOrDefault("Content-Length", "0"))];
            for (int index = 0; index < bytes.length; index++) bytes[index] = (byte) octet(stream);
            body = new String(bytes, StandardCharsets.UTF_8);
        }

        private static String line(InputStream stream) throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int octet = octet(stream); octet != '\n'; octet = octet(stream)) line.write(octet);
            return new String(line.toByteArray(), StandardCharsets.US_ASCII).trim();
        }

        private static int octet(InputStream stream) throws IOException {
            int octet = stream.read();
            if (octet < 0) throw new EOFException();
            return octet;
        }
    }

    /** What it answers. */
    public static final class Answer {
        private final Map<String, String> headers = new TreeMap<>();
        private final int status;
        private final byte[] body;

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

        byte[] bytes() throws IOException {
            StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Status\r\nConnection: close\r\n");
            headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
            if (status != 204) head.append("Content-Length: ").append(body.length).append("\r\n");
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            bytes.write(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
            bytes.write(body);
            return bytes.toByteArray();
        }
    }

    /** How it answers. Null is no answer: the connection is closed. */
    public interface Reaction {
        Answer to(Request request) throws Exception;
    }

    public final String url;
    public final List<Request> requests = Collections.synchronizedList(new ArrayList<>());
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    });

    public TestServer(Reaction reaction) throws IOException {
        url = "http://127.0.0.1:" + socket.getLocalPort();
        threads.execute(() -> {
            try {
                for (;;) {
                    Socket connection = socket.accept();
                    threads.execute(() -> serve(connection, reaction));
                }
            } catch (IOException error) {
                // The test is over.
            }
        });
    }

    private void serve(Socket connection, Reaction reaction) {
        try (Socket closing = connection) {
            Request request = new Request(new BufferedInputStream(closing.getInputStream()));
            requests.add(request);
            Answer answer = reaction.to(request);
            if (answer != null) closing.getOutputStream().write(answer.bytes());
        } catch (Exception error) {
            // The client gets no answer, and the test fails by that.
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
        threads.shutdown();
    }
}
