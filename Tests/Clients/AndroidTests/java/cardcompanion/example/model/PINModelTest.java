package cardcompanion.example.model;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import cardcompanion.sdk.CardCompanionSession;
import cardcompanion.sdk.CryptoUtil;
import cardcompanion.sdk.internal.Base64Url;
import cardcompanion.sdk.internal.Digests;
import cardcompanion.sdk.internal.JsonObject;
import cardcompanion.sdk.internal.JsonParser;
import cardcompanion.sdk.internal.Texts;
import cardcompanion.tests.FakeServer;
import cardcompanion.tests.TestServer;
import cardcompanion.tests.Vectors;
import java.nio.charset.StandardCharsets;
import java.security.Signature;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** The part of the sample app that does not need Android, with all eight operations. */
public class PINModelTest {
    private static final String KEY = "000102030405060708090a0b0c0d0e0f";

    /** Records what it is told to show. */
    private static final class RecordedScreen implements Screen {
        final List<String> events = new ArrayList<>();
        boolean canShow = true;

        @Override
        public boolean showImages(List<byte[]> pngs) {
            events.add(pngs.size() + " images");
            return canShow;
        }

        @Override
        public boolean showText(String pin) {
            events.add("text");
            return canShow;
        }

        @Override
        public void clear() {
            events.add("clear");
        }

        @Override
        public void showKeypad(List<String> digits) {
            events.add(digits.size() + " places");
        }

        @Override
        public void showMessage(String message) {
            events.add("message " + message);
        }
    }

    private final RecordedScreen screen = new RecordedScreen();
    private final BlockingQueue<Runnable> main = new LinkedBlockingQueue<>();
    private final List<Runnable> later = new ArrayList<>();
    private final CardCompanionSession before = CardCompanionSession.shared();
    private final PINModel model = new PINModel(new Object(), screen, main::add, (seconds, work) -> later.add(work));
    private FakeServer fake;
    private TestServer server;
    private Vectors vectors;
    private Bank bank;

    @Before
    public void start() throws Exception {
        CardCompanionSession.setShared(new CardCompanionSession());
        fake = new FakeServer();
        server = new TestServer(fake);
        vectors = new Vectors("tokens");
        bank = new SandboxBank("BANK", KEY + "\n", vectors.key("bank-default").text("pem"));
    }

    @After
    public void stop() {
        server.close();
        CardCompanionSession.setShared(before);
    }

    /** Runs what comes to the main thread. */
    private void runMain(int count) throws InterruptedException {
        for (int index = 0; index < count; index++) main.take().run();
    }

    private JsonObject sent(int index) throws Exception {
        return JsonParser.object(server.requests.get(index).body);
    }

    private static String digest(byte[] bytes) {
        return Base64Url.encode(Digests.sha256(bytes));
    }

    private void assertHashMac(JsonObject request, String binding) throws Exception {
        String data = "BANK" + "alice" + request.text("timestamp") + "." + binding + ".";
        assertEquals(CryptoUtil.computeHMAC(KEY, data), request.text("hashMac"));
    }

    private void assertToken(JsonObject request, String type, String binding) throws Exception {
        JsonObject token = JsonParser.object(request.text("token"));
        assertEquals(binding, token.text("Binding"));
        assertEquals(type, token.text("Type"));
        assertEquals("alice", token.text("IdPorteur"));
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initVerify(vectors.pair("bank-default").getPublic());
        signature.update(request.text("token").getBytes(StandardCharsets.UTF_8));
        assertTrue(signature.verify(Base64.getDecoder().decode(request.text("signature"))));
    }

    @Test
    public void aPINIsShownByCodeForSomeSeconds() throws Exception {
        model.showByCode(server.url, bank, "alice", "code");
        runMain(2);
        assertEquals(Arrays.asList("clear", "message …", "1 images", "message Bonjour"), screen.events);
        assertHashMac(sent(0), digest(Base64.getDecoder().decode(sent(0).text("rsaPublicKey"))));
        assertEquals("/v1/pin-distribution/notify", server.requests.get(1).path);
        assertEquals(0, sent(1).requiredInteger("status"));
        later.get(0).run();
        assertEquals("clear", screen.events.get(4));
    }

    @Test
    public void aPINIsShownByToken() throws Exception {
        model.showByToken(server.url, bank, "alice", "4711");
        runMain(2);
        assertTrue(screen.events.contains("1 images"));
        assertToken(sent(0), "00", digest(Base64.getDecoder().decode(sent(0).text("ecdhPublicKey"))));
        assertEquals("/v1/pin-distribution/token/notify", server.requests.get(1).path);
        assertEquals("4711", JsonParser.object(sent(0).text("token")).text("AuthenticationCode"));
    }

    @Test
    public void aPINThatCannotBeShownIsNotConfirmed() throws Exception {
        screen.canShow = false;
        model.showByToken(server.url, bank, "alice", "4711");
        runMain(2);
        assertEquals(2, sent(1).requiredInteger("status"));
        screen.canShow = true;
        fake.delivery.put("images", Arrays.asList());
        model.showByToken(server.url, bank, "alice", "4711");
        runMain(2);
        assertEquals(1, sent(3).requiredInteger("status"));
        assertTrue(later.isEmpty());
    }

    @Test
    public void whatFailsIsSaid() throws Exception {
        fake.code = 203;
        model.showByToken(server.url, bank, "alice", "4711");
        runMain(1);
        assertEquals("message 203: code 203", screen.events.get(screen.events.size() - 1));
        assertEquals("there is no session to notify of", 1, server.requests.size());
    }

    @Test
    public void leavingHidesEverything() throws Exception {
        model.showByToken(server.url, bank, "alice", "4711");
        Runnable answer = main.take();
        model.leave();
        answer.run();
        assertEquals(Arrays.asList("clear", "message …", "clear"), screen.events);
    }

    @Test
    public void aTimerOfAnEarlierPINHidesNothing() throws Exception {
        model.showByToken(server.url, bank, "alice", "4711");
        runMain(2);
        model.showByToken(server.url, bank, "alice", "4711");
        runMain(2);
        int count = screen.events.size();
        later.get(0).run();
        assertEquals(count, screen.events.size());
        later.get(1).run();
        assertEquals("clear", screen.events.get(count));
    }

    @Test
    public void aPINIsChosenAndOverwritten() throws Exception {
        char[] pin = "4343".toCharArray();
        model.defineByHMAC(server.url, bank, "alice", pin);
        runMain(1);
        assertEquals("0000", new String(pin));
        assertHashMac(sent(1), digest(Texts.utf8(sent(1).text("pin"))));
        pin = "5959".toCharArray();
        model.defineByToken(server.url, bank, "alice", pin);
        runMain(1);
        assertEquals("0000", new String(pin));
        assertToken(sent(3), "02", digest(Texts.utf8(sent(3).text("pin"))));
        assertEquals(Arrays.asList("4343            ", "5959            "), fake.defined);
        assertEquals("message The PIN was chosen.", screen.events.get(screen.events.size() - 1));
    }

    @Test
    public void aPINIsChosenOnAKeypad() throws Exception {
        model.touch(0);
        model.defineOnKeypad(server.url, bank, "alice");
        assertTrue("there is no keypad yet", screen.events.isEmpty());
        model.showKeypad(server.url, bank, "alice");
        runMain(1);
        assertEquals("12 places", screen.events.get(screen.events.size() - 1));
        // The fourth place is empty.
        for (int place : new int[] {0, 1, 3, 0, 1}) model.touch(place);
        model.defineOnKeypad(server.url, bank, "alice");
        runMain(1);
        assertEquals("0,1,0,1", fake.defined.get(0).trim());
        assertEquals("k-1", sent(2).text("keypadId"));
        assertToken(sent(2), "02", digest(Texts.utf8(sent(2).text("indexes"))));
        assertFalse(screen.events.contains("text"));
    }
}
