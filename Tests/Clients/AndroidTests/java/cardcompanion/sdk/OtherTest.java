package cardcompanion.sdk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import cardcompanion.sdk.internal.LibraryException;
import cardcompanion.sdk.internal.Outcome;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.Test;

/** Settings, hints, keypads, the asynchronous form, and what becomes of faults. */
public class OtherTest {
    private static void assertRefused(Runnable setting) {
        try {
            setting.run();
        } catch (IllegalArgumentException error) {
            return;
        }
        fail("the setting was taken");
    }

    @Test
    public void settingsThatMakeNoSenseAreRefused() {
        CardCompanionConfiguration configuration = new CardCompanionConfiguration();
        assertRefused(() -> configuration.withTimeoutSeconds(0));
        assertRefused(() -> configuration.withTimeoutSeconds(Double.NaN));
        assertRefused(() -> configuration.withMaximumAnswerByteCount(0));
        assertRefused(() -> configuration.withPinnedServerKeyThumbprints("sha256/AAAA"));
        assertRefused(() -> configuration.withPinnedServerKeyThumbprints((String) null));
        assertRefused(() -> configuration.withDefinedPINLengths(3, 6));
        assertRefused(() -> configuration.withDefinedPINLengths(6, 5));
        assertRefused(() -> configuration.withDefinedPINLengths(4, 13));
        assertRefused(() -> DisplayHints.NONE.withScale(4));
        assertRefused(() -> CardCompanionSession.setShared(null));
    }

    @Test
    public void settingsAreTheDocumentsAndCanBeChanged() {
        CardCompanionConfiguration before = new CardCompanionConfiguration();
        String thumbprint = String.join("", Collections.nCopies(43, "A"));
        CardCompanionConfiguration after = before.withTimeoutSeconds(1.5).withMaximumAnswerByteCount(7)
            .withPinnedServerKeyThumbprints(thumbprint).withPlainHTTPAllowed(true).withDefinedPINLengths(5, 12);
        assertEquals(30, before.getTimeoutSeconds(), 0);
        assertEquals(1 << 20, before.getMaximumAnswerByteCount());
        assertTrue(before.getPinnedServerKeyThumbprints().isEmpty());
        assertTrue(!before.allowsPlainHTTP());
        assertEquals(4, before.getMinimumPINLength());
        assertEquals(6, before.getMaximumPINLength());
        assertEquals(1.5, after.getTimeoutSeconds(), 0);
        assertEquals(7, after.getMaximumAnswerByteCount());
        assertEquals(Collections.singleton(thumbprint), after.getPinnedServerKeyThumbprints());
        assertTrue(after.allowsPlainHTTP());
        assertEquals(5, after.getMinimumPINLength());
        assertEquals(12, after.getMaximumPINLength());
        assertSame(after, new CardCompanionSession(after).getConfiguration());
    }

    @Test
    public void keypadsHaveEachDigitOnce() {
        List<String> keypad = Arrays.asList("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", null);
        assertTrue(KeyPad.isComplete(keypad));
        assertTrue(!KeyPad.isComplete(keypad.subList(0, 9)));
        assertTrue(!KeyPad.isComplete(Arrays.asList("0", "1", "2", "3", "4", "5", "6", "7", "8", "8", "9")));
        assertTrue(!KeyPad.isComplete(Arrays.asList("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10")));
        assertTrue(!KeyPad.isComplete(Arrays.asList("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "")));
        assertNull(KeyPad.indexes("", keypad));
        assertNull(KeyPad.indexes("12a4", keypad));
        assertNull(KeyPad.indexes("1234", Arrays.asList("1", "2")));
    }

    @Test
    public void aKeyThatIsNotHexGivesNoHMAC() {
        for (String key : new String[] {null, "", "0", "xy", "0x00"}) {
            assertEquals("", CryptoUtil.computeHMAC(key, "data"));
        }
        assertEquals("", CryptoUtil.computeHMAC("00", null));
        assertEquals(64, CryptoUtil.computeHMAC("00", "").length());
    }

    @Test
    public void aResponseComesOnTheAppsExecutor() throws Exception {
        BlockingQueue<Runnable> main = new LinkedBlockingQueue<>();
        BlockingQueue<String> got = new LinkedBlockingQueue<>();
        Thread caller = Thread.currentThread();
        Async.run(() -> Thread.currentThread() == caller ? "the same thread" : "another thread", main::add, got::add);
        main.take().run();
        assertEquals("another thread", got.take());
    }

    @Test
    public void aCancelledCallGetsNoResponse() throws Exception {
        BlockingQueue<Runnable> main = new LinkedBlockingQueue<>();
        BlockingQueue<String> got = new LinkedBlockingQueue<>();
        CountDownLatch cancelled = new CountDownLatch(1);
        Async.Call call = Async.run(() -> {
            try {
                cancelled.await();
            } catch (InterruptedException error) {
                return "interrupted";
            }
            return "answered";
        }, main::add, got::add);
        call.cancel();
        cancelled.countDown();
        main.take().run();
        assertTrue(got.isEmpty());
    }

    @Test
    public void faultsBecomeACodeAndSayNothing() {
        Outcome outcome = Operation.run(
            () -> {
                throw new IllegalStateException("PIN 4343");
            },
            failure -> failure);
        assertEquals(LibraryCode.REQUEST_FAILED, outcome.errorCode);
        assertEquals("Request failed (unexpected IllegalStateException)", outcome.errorMessage);
        LibraryException error = new LibraryException(LibraryCode.INVALID_INPUT, "detail");
        assertEquals("Null/Invalid input parameters (detail)", error.getMessage());
        assertEquals(0, error.getStackTrace().length);
        assertEquals("", LibraryCode.message(0));
    }
}
