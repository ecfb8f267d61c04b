package cardcompanion.sdk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import cardcompanion.sdk.internal.Base64Url;
import cardcompanion.sdk.internal.NotifyKeys;
import cardcompanion.sdk.internal.NotifyReceipt;
import cardcompanion.sdk.internal.Texts;
import cardcompanion.tests.FakeServer;
import cardcompanion.tests.TestServer;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Notify keys: how long they are kept, and how they survive the app. */
public class ReceiptTest {
    @Rule public final TemporaryFolder folder = new TemporaryFolder();

    private static String receipt(String sessionId) {
        return NotifyReceipt.text(sessionId, FakeServer.NOTIFY_KEY);
    }

    private static ProvisioningResponse fetch(CardCompanionSession session, String url) {
        TokenProvisioningParameters parameters = new TokenProvisioningParameters("{}", "c2ln");
        ProvisioningResponse response = session.postGetPINCaptchaTokenRequest(parameters, url);
        assertEquals(response.toString(), 0, response.errorCode);
        return response;
    }

    private static int notify(CardCompanionSession session, String url) {
        return session.postNotifyRequest(new NotifyParameters(FakeServer.SESSION, "BANK", "102456", 0), url).errorCode;
    }

    @Test
    public void aReceiptHasTheFormOfTheOtherLibraries() {
        String session = Base64Url.encode(Texts.utf8(FakeServer.SESSION));
        assertEquals("1." + session + "." + Base64Url.encode(FakeServer.NOTIFY_KEY), receipt(FakeServer.SESSION));
    }

    @Test
    public void anAppCanStoreItsReceiptItself() throws Exception {
        try (TestServer server = new TestServer(new FakeServer())) {
            String receipt = fetch(new CardCompanionSession(), server.url).getNotifyReceipt();
            assertEquals(receipt(FakeServer.SESSION), receipt);
            CardCompanionSession later = new CardCompanionSession();
            assertEquals(LibraryCode.INVALID_INPUT, notify(later, server.url));
            assertTrue(later.restore(receipt));
            assertEquals(0, notify(later, server.url));
        }
    }

    @Test
    public void otherTextsAreRefused() {
        String right = receipt(FakeServer.SESSION);
        String[] wrong = {
            null, "", "1", "1..", right + ".", right + "A", right.substring(0, right.length() - 1),
            "2" + right.substring(1),
            right.replaceFirst("\\.", ".="), " " + right, "1.." + Base64Url.encode(FakeServer.NOTIFY_KEY),
            "1._w." + Base64Url.encode(FakeServer.NOTIFY_KEY), "1.QQ." + Base64Url.encode(new byte[31]),
        };
        for (String text : wrong) assertFalse(text, new CardCompanionSession().restore(text));
        assertTrue(new CardCompanionSession().restore(right));
    }

    @Test
    public void aFileStoreSurvivesTheApp() throws Exception {
        try (TestServer server = new TestServer(new FakeServer())) {
            File kept = new File(folder.getRoot(), "made/by/the/store");
            CardCompanionSession session = new CardCompanionSession();
            session.setReceiptStore(new FileReceiptStore(kept));
            fetch(session, server.url);
            assertEquals(1, kept.list().length);

            CardCompanionSession later = new CardCompanionSession();
            later.setReceiptStore(new FileReceiptStore(kept));
            assertEquals(0, notify(later, server.url));
            assertEquals("a receipt is deleted after its notify", 0, kept.list().length);
            assertEquals(LibraryCode.INVALID_INPUT, notify(later, server.url));
        }
    }

    @Test
    public void aFileStoreKeepsTheReceiptsOfADay() throws Exception {
        File file = new File(folder.getRoot(), "card-companion-receipts");
        long now = System.currentTimeMillis() / 1000;
        String lines = (now - 86_500) + " " + receipt("old") + "\n" + (now - 86_300) + " " + receipt("young") + "\n"
            + "nonsense\n" + now + " 1.nonsense\n" + receipt("untimed") + "\n";
        Files.write(file.toPath(), lines.getBytes(StandardCharsets.US_ASCII));
        FileReceiptStore store = new FileReceiptStore(folder.getRoot());
        assertNull(store.get("old"));
        assertNull(store.get("untimed"));
        assertNull(store.get("another"));
        assertEquals(receipt("young"), store.get("young"));
        store.put("new", receipt("new"));
        List<String> kept = Files.readAllLines(file.toPath());
        assertEquals(2, kept.size());
        assertTrue(kept.get(0).endsWith(receipt("young")) && kept.get(1).endsWith(receipt("new")));
    }

    @Test
    public void aFileStoreKeepsTheNewest64Receipts() {
        FileReceiptStore store = new FileReceiptStore(folder.getRoot());
        for (int index = 0; index < 66; index++) store.put("s" + index, receipt("s" + index));
        store.put("s2", receipt("s2"));
        assertNull(store.get("s1"));
        assertEquals(receipt("s2"), store.get("s2"));
        assertEquals(receipt("s65"), store.get("s65"));
    }

    @Test
    public void aStoreThatFailsDoesNotStopOperations() throws Exception {
        ReceiptStore broken = new ReceiptStore() {
            @Override
            public void put(String sessionId, String receipt) {
                throw new IllegalStateException("no space");
            }

            @Override
            public String get(String sessionId) {
                throw new IllegalStateException("no file");
            }

            @Override
            public void remove(String sessionId) {
                throw new IllegalStateException("read only");
            }
        };
        try (TestServer server = new TestServer(new FakeServer())) {
            CardCompanionSession session = new CardCompanionSession();
            session.setReceiptStore(broken);
            fetch(session, server.url);
            assertEquals(0, notify(session, server.url));
            assertEquals(LibraryCode.INVALID_INPUT, notify(session, server.url));
        }
    }

    @Test
    public void aReceiptOfAnotherSessionIsNotUsed() throws Exception {
        FileReceiptStore store = new FileReceiptStore(folder.getRoot());
        CardCompanionSession session = new CardCompanionSession();
        session.setReceiptStore(new ReceiptStore() {
            @Override
            public void put(String sessionId, String receipt) {
                store.put(sessionId, receipt);
            }

            @Override
            public String get(String sessionId) {
                return receipt("another");
            }

            @Override
            public void remove(String sessionId) {
                store.remove(sessionId);
            }
        });
        assertEquals(LibraryCode.INVALID_INPUT, notify(session, "https://host.invalid"));
    }

    @Test
    public void keysEndAfterADayOrWhenThereAreTooMany() {
        AtomicLong now = new AtomicLong(1000);
        NotifyKeys keys = new NotifyKeys(now::get);
        keys.keep("one", FakeServer.NOTIFY_KEY);
        now.addAndGet(NotifyKeys.LIFETIME_SECONDS - 1);
        assertEquals(32, keys.key("one").length);
        keys.keep("two", FakeServer.NOTIFY_KEY);
        now.incrementAndGet();
        assertNull(keys.key("one"));
        for (int index = 1; index < NotifyKeys.MAXIMUM_COUNT; index++) keys.keep("more" + index, FakeServer.NOTIFY_KEY);
        assertEquals(32, keys.key("two").length);
        keys.keep("last", FakeServer.NOTIFY_KEY);
        assertNull(keys.key("two"));
        assertEquals(32, keys.key("more1").length);
    }

    @Test
    public void keysAreCopies() {
        NotifyKeys keys = new NotifyKeys(() -> 0);
        byte[] key = FakeServer.NOTIFY_KEY.clone();
        keys.keep("one", key);
        key[0] = 0;
        keys.key("one")[1] = 0;
        assertEquals(7, keys.key("one")[0]);
        assertEquals(7, keys.key("one")[1]);
    }
}
