package cardcompanion.sdk.internal;

/** Waits before a request is sent again. Tests replace it. */
public interface RetryWait {
    /** Waits half to one and a half of the seconds, at random. */
    RetryWait REAL = seconds -> Thread.sleep(OverloadRetry.jitteredMilliseconds(seconds, Math.random()));

    /**
     * Waits about so many seconds.
     *
     * @throws InterruptedException if the thread was interrupted
     */
    void about(int seconds) throws InterruptedException;
}
