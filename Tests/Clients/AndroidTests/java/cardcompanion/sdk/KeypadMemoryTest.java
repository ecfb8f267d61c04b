package cardcompanion.sdk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import cardcompanion.sdk.internal.JsonParser;
import cardcompanion.sdk.internal.KeypadMemory;
import cardcompanion.tests.FakeServer;
import cardcompanion.tests.TestServer;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Which keypad a definition names if the app does not name one. */
public class KeypadMemoryTest {
    private final AtomicLong now = new AtomicLong(1000);
    private final CardCompanionSession session =
        new CardCompanionSession(new CardCompanionConfiguration(), now::get);
    private FakeServer fake;
    private TestServer server;
    /** How many requests for keypads wait for one another before they are answered. */
    private volatile CyclicBarrier together;
    private volatile boolean fails;

    @Before
    public void start() throws Exception {
        fake = new FakeServer();
        server = new TestServer(request -> {
            CyclicBarrier barrier = together;
            boolean isKeypad = request.path.endsWith("keypad-coordinates");
            if (isKeypad && barrier != null) barrier.await();
            return isKeypad && fails ? new TestServer.Answer(503, "") : fake.to(request);
        });
    }

    @After
    public void stop() {
        server.close();
    }

    private KeyPadCoordinatesResponse fetch(String uniqueId) {
        return session.postGetKeyPadCoordinatesRequest(
            new KeyPadCoordinatesParameters("BANK", uniqueId, 12), server.url);
    }

    private DefinitionResponse define(String uniqueId, String keypadId) {
        String token = "{\"IdBEL\":\"BANK\",\"IdPorteur\":\"" + uniqueId + "\",\"IdTransaction\":\"1\"}";
        return session.postDefinePINECDHCBRequest(
            new DefinitionTokenParameters(token, "c2ln", "0,1,0,1").withKeypadId(keypadId), server.url);
    }

    /** The keypad that a definition which was sent names. */
    private String named(String uniqueId) throws Exception {
        DefinitionResponse response = define(uniqueId, null);
        assertTrue(response.toString(), response.errorCode < 90000);
        return JsonParser.object(server.requests.get(server.requests.size() - 1).body).text("keypadId");
    }

    /** Two requests of which each is answered when the other has been sent. */
    private void fetchTwoTogether(String one, String other) throws Exception {
        together = new CyclicBarrier(2);
        FutureTask<KeyPadCoordinatesResponse> second = new FutureTask<>(() -> fetch(other));
        new Thread(second).start();
        fetch(one);
        second.get();
        together = null;
    }

    @Test
    public void withoutAKeypadNoneIsNamed() throws Exception {
        assertNull(named("102456"));
    }

    @Test
    public void theNewestKeypadIsNamed() throws Exception {
        fake.code = DefinitionCode.INVALID_PIN_FORMAT;
        assertEquals("k-1", fetch("102456").keypadId);
        assertEquals("k-1", named("102456"));
        assertEquals("k-2", fetch("102456").getKeypadId());
        assertEquals("k-2", named("102456"));
    }

    @Test
    public void eachCardholderHasTheirOwn() throws Exception {
        fetch("1");
        fetch("2");
        assertEquals("k-1", named("1"));
        assertEquals("k-2", named("2"));
        assertNull(named("3"));
    }

    @Test
    public void aKeypadIsNamedUntilADefinitionSucceeds() throws Exception {
        fetch("1");
        fake.code = DefinitionCode.INVALID_PIN_FORMAT;
        assertEquals("k-1", named("1"));
        fake.code = 0;
        assertEquals("k-1", named("1"));
        assertNull(named("1"));
    }

    @Test
    public void aDefinitionOnAnOlderKeypadLeavesTheNewestOne() throws Exception {
        fetch("1");
        fetch("1");
        assertEquals(0, define("1", "k-1").errorCode);
        assertEquals("k-2", named("1"));
    }

    @Test
    public void aKeypadEndsAfterFiveMinutes() throws Exception {
        fake.code = DefinitionCode.INVALID_PIN_FORMAT;
        fetch("1");
        now.addAndGet(299);
        assertEquals("k-1", named("1"));
        now.addAndGet(1);
        assertNull(named("1"));
    }

    @Test
    public void overlappingRequestsLeaveNoneUntilOneIsMadeAlone() throws Exception {
        fetchTwoTogether("1", "1");
        DefinitionResponse response = define("1", null);
        assertEquals(LibraryCode.INVALID_INPUT, response.errorCode);
        assertTrue(response.errorMessage, response.errorMessage.contains("ask for one keypad alone"));
        assertEquals("with its name each can be used", 0, define("1", "k-1").errorCode);
        assertEquals(LibraryCode.INVALID_INPUT, define("1", null).errorCode);
        fetch("1");
        assertEquals("k-3", named("1"));
    }

    @Test
    public void ifOnlyOneOverlappingRequestHandsOutAKeypadItIsTheOne() throws Exception {
        KeypadMemory memory = new KeypadMemory(now::get);
        for (int first = 0; first < 2; first++) {
            memory.begin("B", "u");
            memory.begin("B", "u");
            memory.end("B", "u", first == 0 ? "k-a" : null);
            memory.end("B", "u", first == 0 ? null : "k-b");
            assertEquals(first == 0 ? "k-a" : "k-b", memory.newest("B", "u"));
        }
    }

    @Test
    public void aWaitingCardholderIsNotForgotten() throws Exception {
        KeypadMemory memory = new KeypadMemory(now::get);
        memory.begin("B", "waiting");
        for (int index = 0; index <= KeypadMemory.MAXIMUM_COUNT; index++) {
            memory.begin("B", "u" + index);
            memory.end("B", "u" + index, "k");
        }
        memory.end("B", "waiting", "k-w");
        assertEquals("k-w", memory.newest("B", "waiting"));
        assertNull(memory.newest("B", "u0"));
    }

    @Test
    public void indexesAreSealedForTheNewestKeypad() throws Exception {
        fetch("1");
        fetch("1");
        SealedPIN sealed = session.sealPINECDHCB("BANK", "1", "1", "0,1,0,1", null, server.url);
        String token = "{\"IdBEL\":\"BANK\",\"IdPorteur\":\"1\",\"IdTransaction\":\"1\"}";
        DefinitionTokenParameters parameters = new DefinitionTokenParameters(token, "c2ln", sealed);
        assertEquals(0, session.postDefinePINECDHCBRequest(parameters, server.url).errorCode);
        String sent = server.requests.get(server.requests.size() - 1).body;
        assertEquals("k-2", JsonParser.object(sent).text("keypadId"));
        assertNull("it has served", named("1"));
    }

    @Test
    public void requestsOfOtherCardholdersDoNotCount() throws Exception {
        fetchTwoTogether("1", "2");
        assertTrue(named("1").startsWith("k-"));
        assertTrue(named("2").startsWith("k-"));
    }

    @Test
    public void aRequestThatFailsChangesNothing() throws Exception {
        fetch("1");
        fails = true;
        assertEquals(LibraryCode.SERVER_NOT_OK, fetch("1").errorCode);
        fails = false;
        fake.code = DefinitionCode.INVALID_PIN_FORMAT;
        assertEquals("k-1", named("1"));
        fetch("1");
        assertEquals("it is not under way any more", "k-2", named("1"));
    }

    @Test
    public void keypadsCanBeDiscarded() throws Exception {
        fetchTwoTogether("1", "1");
        session.discardKeypads("BANK", "1");
        assertNull(named("1"));
    }

    @Test
    public void onlyTheNewest64CardholdersAreRemembered() throws Exception {
        for (int index = 0; index <= 64; index++) assertEquals("k-" + (index + 1), fetch("u" + index).keypadId);
        assertNull(named("u0"));
        assertEquals("k-2", named("u1"));
        assertEquals("k-65", named("u64"));
    }
}
