package cardcompanion.sdk;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Runs operations beside the main thread, and hands over their responses on an executor of the app's.
 *
 * <pre>
 * Handler main = new Handler(Looper.getMainLooper());
 * Async.Call call = Async.run(
 *     () -&gt; PINDistribution.postGetPINCaptchaRequest(context, parameters, hostUrl), main::post, this::show);
 * // in Activity.onDestroy
 * call.cancel();
 * </pre>
 */
public final class Async {
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "card-companion");
        thread.setDaemon(true);
        return thread;
    });

    private Async() {}

    /** What gets a response. */
    public interface Callback<R> {
        /**
         * Is called once, on the app's executor, unless the call was cancelled.
         *
         * @param response the operation's response
         */
        void onResponse(R response);
    }

    /** An operation that is under way. */
    public static final class Call {
        private final AtomicBoolean isCancelled = new AtomicBoolean();

        private Call() {}

        /**
         * Lets the callback not be called any more. The operation itself goes on: what was sent cannot be taken back.
         * On the thread of the app's executor this is certain: a screen that is gone gets no response.
         */
        public void cancel() {
            isCancelled.set(true);
        }
    }

    /**
     * Runs an operation.
     *
     * @param operation a call of one of the operations
     * @param executor where the callback is called, such as {@code handler::post}
     * @param callback what gets the response
     * @param <R> the type of the response
     * @return the call, which can be cancelled
     */
    public static <R> Call run(Supplier<R> operation, Executor executor, Callback<R> callback) {
        Call call = new Call();
        THREADS.execute(() -> {
            R response = operation.get();
            executor.execute(() -> {
                if (!call.isCancelled.get()) callback.onResponse(response);
            });
        });
        return call;
    }
}
