package cardcompanion.sdk.internal;

import cardcompanion.sdk.LibraryCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends and reads JSON, with one limit on the time of a whole exchange, and one on the size of the answer. If the
 * server has too much to do, it sends the same bytes again.
 */
public final class HttpClient {
    private static final int OK = 200;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;
    private static final int CHUNK_BYTE_COUNT = 8192;

    private final double timeoutSeconds;
    private final int maximumAnswerByteCount;
    private final RetryWait wait;

    public HttpClient(double timeoutSeconds, int maximumAnswerByteCount, RetryWait wait) {
        this.timeoutSeconds = timeoutSeconds;
        this.maximumAnswerByteCount = maximumAnswerByteCount;
        this.wait = wait;
    }

    private static final class Answer {
        final int status;
        final String contentType;
        final String retryAfter;
        /** Empty unless the status is 200 or the answer can say that the server has too much to do. */
        final byte[] body;

        Answer(int status, String contentType, String retryAfter, byte[] body) {
            this.status = status;
            this.contentType = contentType;
            this.retryAfter = retryAfter;
            this.body = body;
        }
    }

    public JsonObject post(String url, Map<String, ?> members) throws LibraryException {
        return content(lastAnswer(url, Texts.utf8(JsonWriter.write(members))));
    }

    public JsonObject get(String url) throws LibraryException {
        return content(lastAnswer(url, null));
    }

    /**
     * The JSON object of an answer.
     *
     * @throws LibraryException 90015 if the status is not 200, 90002 if the body is empty, 90003 if it is not a JSON
     *     object
     */
    private static JsonObject content(Answer answer) throws LibraryException {
        if (answer.status != OK) throw notOK(answer.status, answer.retryAfter);
        if (answer.body.length == 0) throw new LibraryException(LibraryCode.EMPTY_ANSWER, "the answer has no body");
        try {
            return JsonParser.object(answer.body);
        } catch (JsonException error) {
            throw new LibraryException(LibraryCode.BAD_ANSWER_FORMAT, "the answer is not the JSON of this operation");
        }
    }

    /** Sends the request, and again as often as {@link OverloadRetry} says. The timeout counts for each time. */
    private Answer lastAnswer(String url, byte[] body) throws LibraryException {
        for (int sendCount = 1;; sendCount++) {
            Answer answer = exchange(url, body);
            int seconds = OverloadRetry.secondsToWait(
                answer.status, answer.contentType, answer.retryAfter, answer.body, sendCount);
            if (seconds == OverloadRetry.NO_RETRY) return answer;
            try {
                wait.about(seconds);
            } catch (InterruptedException error) {
                throw interrupted();
            }
        }
    }

    /**
     * The exchange runs on a thread of its own: HttpURLConnection limits only single steps, and not at all how long
     * it looks for the host's address.
     *
     * @throws LibraryException 90001 or 90006 if there is no answer, 90003 if it is too large
     */
    private Answer exchange(String url, byte[] body) throws LibraryException {
        HttpURLConnection connection = opened(url);
        long deadline = System.nanoTime() + milliseconds() * 1_000_000L;
        FutureTask<Answer> task = new FutureTask<>(() -> answer(connection, body, deadline));
        daemon(task);
        try {
            return task.get(milliseconds(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException error) {
            daemon(connection::disconnect);
            throw late();
        } catch (InterruptedException error) {
            daemon(connection::disconnect);
            throw interrupted();
        } catch (ExecutionException error) {
            throw failure(error.getCause());
        }
    }

    private HttpURLConnection opened(String url) throws LibraryException {
        try {
            return (HttpURLConnection) new URL(url).openConnection();
        } catch (IOException | RuntimeException error) {
            throw failed("the connection could not be made");
        }
    }

    private Answer answer(HttpURLConnection connection, byte[] body, long deadline)
            throws IOException, LibraryException {
        try {
            prepare(connection);
            if (body != null) send(connection, body);
            int status = connection.getResponseCode();
            if (status < 0) throw failed("the answer is not HTTP");
            String contentType = connection.getHeaderField("Content-Type");
            byte[] content = new byte[0];
            if (status == OK) content = read(connection.getInputStream(), deadline);
            if (OverloadRetry.canBe(status, contentType)) content = problem(connection, deadline);
            return new Answer(status, contentType, connection.getHeaderField("Retry-After"), content);
        } catch (HttpRetryException error) {
            throw notOK(error.responseCode(), null);
        } finally {
            connection.disconnect();
        }
    }

    /** The body of an answer with an error; empty if it has none or it cannot be read. */
    private byte[] problem(HttpURLConnection connection, long deadline) {
        InputStream stream = connection.getErrorStream();
        try {
            return stream == null ? new byte[0] : read(stream, deadline);
        } catch (IOException | LibraryException error) {
            return new byte[0];
        }
    }

    /**
     * Redirects are not followed: what is sent is for one server. Each exchange has a connection of its own, because
     * one that the server has closed meanwhile would fail, and a POST that may have arrived cannot be sent again: its
     * token may be spent.
     */
    private void prepare(HttpURLConnection connection) {
        connection.setConnectTimeout(milliseconds());
        connection.setReadTimeout(milliseconds());
        connection.setInstanceFollowRedirects(false);
        connection.setUseCaches(false);
        connection.setRequestProperty("Accept", "application/json");
        connection.setRequestProperty("Accept-Encoding", "identity");
        connection.setRequestProperty("Connection", "close");
    }

    /** With a length that is fixed before, HttpURLConnection keeps no copy of the body, and never sends it again. */
    private static void send(HttpURLConnection connection, byte[] body) throws IOException {
        connection.setRequestMethod("POST");
        connection.setDoOutput(true);
        connection.setFixedLengthStreamingMode(body.length);
        connection.setRequestProperty("Content-Type", "application/json");
        try (OutputStream stream = connection.getOutputStream()) {
            stream.write(body);
        }
    }

    private byte[] read(InputStream answer, long deadline) throws IOException, LibraryException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] chunk = new byte[CHUNK_BYTE_COUNT];
        try (InputStream stream = answer) {
            for (int count = stream.read(chunk); count >= 0; count = stream.read(chunk)) {
                body.write(chunk, 0, count);
                if (body.size() > maximumAnswerByteCount) {
                    throw new LibraryException(LibraryCode.BAD_ANSWER_FORMAT, "the answer is too large");
                }
                if (System.nanoTime() - deadline > 0) throw late();
            }
        }
        return body.toByteArray();
    }

    /** The seconds of Retry-After, not its other form, a date: the server does not send it, and clocks differ. */
    private static LibraryException notOK(int status, String retryAfter) {
        boolean isCounted = (status == TOO_MANY_REQUESTS || status == UNAVAILABLE)
            && retryAfter != null && retryAfter.matches("[0-9]{1,9}");
        return new LibraryException(
            LibraryCode.SERVER_NOT_OK, "HTTP status " + status, isCounted ? Integer.valueOf(retryAfter) : null);
    }

    private LibraryException failure(Throwable cause) {
        if (cause instanceof LibraryException) return (LibraryException) cause;
        if (cause instanceof SocketTimeoutException) return late();
        if (cause instanceof UnknownHostException || cause instanceof ConnectException
            || cause instanceof NoRouteToHostException) {
            return new LibraryException(LibraryCode.NO_NETWORK, "cannot connect to the server");
        }
        if (cause instanceof SecurityException) {
            return new LibraryException(LibraryCode.NO_NETWORK, "the app lacks the permission INTERNET");
        }
        return failed(cause.getClass().getSimpleName());
    }

    private LibraryException late() {
        return failed("no complete answer within " + timeoutSeconds + " seconds");
    }

    /** The thread stays interrupted. */
    private static LibraryException interrupted() {
        Thread.currentThread().interrupt();
        return failed("the thread was interrupted");
    }

    private static LibraryException failed(String detail) {
        return new LibraryException(LibraryCode.REQUEST_FAILED, detail);
    }

    private int milliseconds() {
        return (int) Math.max(1, Math.min(timeoutSeconds * 1000, Integer.MAX_VALUE));
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "card-companion-http");
        thread.setDaemon(true);
        thread.start();
    }
}
