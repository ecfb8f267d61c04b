package cardcompanion.sdk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import cardcompanion.sdk.internal.Base64Url;
import cardcompanion.sdk.internal.Digests;
import cardcompanion.sdk.internal.JsonObject;
import cardcompanion.sdk.internal.JsonParser;
import cardcompanion.sdk.internal.Texts;
import cardcompanion.tests.FakeServer;
import cardcompanion.tests.TestServer;
import java.util.Arrays;
import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Defining a PIN. */
public class DefinitionTest {
    private static final String TOKEN =
        "{\"IdBEL\":\"BANK\",\"IdPorteur\":\"102456\",\"IdTransaction\":\"4567897\",\"Type\":\"02\"}";
    private static final String PADDED_PIN = "4343            ";

    private FakeServer fake;
    private TestServer server;
    private CardCompanionSession session = new CardCompanionSession();

    @Before
    public void start() throws Exception {
        fake = new FakeServer();
        server = new TestServer(fake);
    }

    @After
    public void stop() {
        server.close();
    }

    private static DefinitionParameters parameters(String pin) {
        return new DefinitionParameters("BANK", "102456", "1562320989", "ab", pin);
    }

    private DefinitionResponse define(String pin) {
        return session.postDefinePINRequest(parameters(pin), server.url);
    }

    private DefinitionResponse byToken(String pin) {
        return session.postDefinePINECDHRequest(new DefinitionTokenParameters(TOKEN, "c2ln", pin), server.url);
    }

    private DefinitionResponse byIndexes(DefinitionTokenParameters parameters) {
        return session.postDefinePINECDHCBRequest(parameters, server.url);
    }

    private JsonObject lastSent() throws Exception {
        return JsonParser.object(server.requests.get(server.requests.size() - 1).body);
    }

    private static JsonObject header(String compact) throws Exception {
        return JsonParser.object(Base64Url.decode(compact.split("\\.")[0]));
    }

    private static void assertHeader(String compact, String cty, String jti, String keypadId) throws Exception {
        JsonObject header = header(compact);
        assertEquals(cty, header.text("cty"));
        assertEquals("BANK", header.text("iss"));
        assertEquals("102456", header.text("sub"));
        assertEquals(jti, header.text("jti"));
        assertEquals(keypadId, header.text("keypadId"));
    }

    @Test
    public void aPINIsSealedForItsRequest() throws Exception {
        assertEquals(0, define("4343").errorCode);
        assertEquals("GET", server.requests.get(0).method);
        assertEquals("[bankId, uniqueId, timestamp, hashMac, pin]", lastSent().names().toString());
        assertHeader(lastSent().text("pin"), "pin", "1562320989", null);
        assertEquals(Arrays.asList(PADDED_PIN), fake.defined);
    }

    @Test
    public void aPINWithATokenIsSealedForIt() throws Exception {
        assertEquals(0, byToken("123456").errorCode);
        assertEquals("[token, signature, pin]", lastSent().names().toString());
        assertHeader(lastSent().text("pin"), "pin", "4567897", null);
        assertEquals("123456          ", fake.defined.get(0));
    }

    @Test
    public void theResponseSaysWhenThePINWorksIfTheBankDoes() {
        for (String effective : new String[] {"now", "later", null, "tomorrow"}) {
            fake.effective = effective;
            String expected = "tomorrow".equals(effective) ? null : effective;
            assertEquals(expected, define("4343").effective);
            assertEquals(expected, byToken("4343").getEffective());
            DefinitionTokenParameters indexes = new DefinitionTokenParameters(TOKEN, "c2ln", "0,1,0,1");
            assertEquals(expected, byIndexes(indexes.withKeypadId("k-x")).effective);
        }
    }

    @Test
    public void aPINInAnArrayIsNotChanged() {
        char[] pin = "4343".toCharArray();
        DefinitionParameters parameters = new DefinitionParameters("BANK", "102456", "1562320989", "ab", pin);
        assertEquals(0, session.postDefinePINRequest(parameters, server.url).errorCode);
        assertEquals(0, session.postDefinePINRequest(parameters, server.url).errorCode);
        assertEquals(Arrays.asList(PADDED_PIN, PADDED_PIN), fake.defined);
        assertEquals("4343", new String(pin));
        Arrays.fill(pin, '0');
        DefinitionTokenParameters token = new DefinitionTokenParameters(TOKEN, "c2ln", pin);
        assertEquals(0, session.postDefinePINECDHRequest(token, server.url).errorCode);
        assertEquals("0000            ", fake.defined.get(2));
    }

    @Test
    public void indexesAreTakenInEachForm() throws Exception {
        KeyPadCoordinatesResponse keypad = session.postGetKeyPadCoordinatesRequest(
            new KeyPadCoordinatesParameters("BANK", "102456", 12), server.url);
        assertEquals(Arrays.asList("4", "3", "2", "", "6", "9", "0", "7", "5", "", "8", "1"), keypad.keypad);
        List<Integer> indexes = KeyPad.indexes("4343", keypad.keypad);
        assertEquals(Arrays.asList(0, 1, 0, 1), indexes);
        assertEquals(indexes, KeyPad.indexes("4343".toCharArray(), keypad.keypad));
        DefinitionTokenParameters[] forms = {
            new DefinitionTokenParameters(TOKEN, "c2ln", indexes.toString()),
            new DefinitionTokenParameters(TOKEN, "c2ln", "0,1,0,1"),
            new DefinitionTokenParameters(TOKEN, "c2ln", "[ 0,1 , 0, 01]"),
            new DefinitionTokenParameters(TOKEN, "c2ln", indexes),
            new DefinitionTokenParameters(TOKEN, "c2ln", Arrays.asList("0", "1", "0", "1")),
            new DefinitionTokenParameters(TOKEN, "c2ln", "0,1,0,1".toCharArray()),
        };
        for (DefinitionTokenParameters form : forms) {
            assertEquals(0, byIndexes(form.withKeypadId("k-x")).errorCode);
            assertEquals("0,1,0,1", fake.defined.get(fake.defined.size() - 1).trim());
            assertEquals(64, fake.defined.get(fake.defined.size() - 1).length());
        }
        assertEquals("[token, signature, indexes, keypadId]", lastSent().names().toString());
        assertHeader(lastSent().text("indexes"), "indexes", "4567897", "k-x");
    }

    @Test
    public void otherPINsAndIndexesAreRefused() {
        for (String pin : new String[] {"123", "1234567", "12a4", "12 4", "-123", "١٢٣٤", "[1, 2, 3, 4]"}) {
            assertEquals(pin, LibraryCode.BAD_PIN_FORMAT, define(pin).errorCode);
            assertEquals(pin, LibraryCode.BAD_PIN_FORMAT, byToken(pin).errorCode);
        }
        String[] wrong = {
            "0,1,0", "0,1,0,1,0,1,0", "0,1,0,60", "0,1,,1", "0,1,0,", ",0,1,0", "[0,1,0,1", "0,1,0,1]", "0;1;0;1",
            "0,1,0,x", "[]", "[", "0,1,0,-1", "0,1,0,999999999999", "3", "[[0,1,0,1]]",
        };
        for (String indexes : wrong) {
            DefinitionTokenParameters parameters = new DefinitionTokenParameters(TOKEN, "c2ln", indexes);
            assertEquals(indexes, LibraryCode.BAD_PIN_FORMAT, byIndexes(parameters.withKeypadId("k")).errorCode);
        }
        assertEquals(LibraryCode.INVALID_INPUT, define("").errorCode);
        assertEquals(LibraryCode.INVALID_INPUT, define(null).errorCode);
        assertEquals(LibraryCode.INVALID_INPUT, session.postDefinePINRequest(null, server.url).errorCode);
        assertEquals(LibraryCode.INVALID_INPUT, byIndexes(null).errorCode);
        assertEquals(0, server.requests.size());
    }

    @Test
    public void lengthsCanBeConfigured() {
        session = new CardCompanionSession(new CardCompanionConfiguration().withDefinedPINLengths(5, 12));
        assertEquals(LibraryCode.BAD_PIN_FORMAT, define("1234").errorCode);
        assertEquals(0, define("123456789012").errorCode);
        assertEquals(0, define("12345").errorCode);
    }

    @Test
    public void onlyPinnedKeysAreUsed() throws Exception {
        CardCompanionConfiguration configuration = new CardCompanionConfiguration();
        session = new CardCompanionSession(configuration.withPinnedServerKeyThumbprints(fake.thumbprint("server-rsa")));
        assertEquals(0, define("4343").errorCode);
        assertEquals(LibraryCode.UNTRUSTED_SERVER_KEY, byToken("4343").errorCode);
        assertEquals(1, fake.defined.size());
    }

    @Test
    public void keySetsThatAreNoneAreRefused() throws Exception {
        assertKeySet(LibraryCode.BAD_ANSWER_FORMAT, "{}");
        assertKeySet(LibraryCode.BAD_ANSWER_FORMAT, "{\"keys\":[]}");
        assertKeySet(LibraryCode.BAD_ANSWER_FORMAT, "{\"keys\":[1]}");
        assertKeySet(LibraryCode.BAD_ANSWER_FORMAT, "{\"keys\":[{\"kty\":\"EC\"}]}");
        assertKeySet(LibraryCode.BAD_ANSWER_FORMAT, "{\"keys\":[{\"kty\":\"EC\",\"kid\":\"k\",\"use\":\"sig\"}]}");
        assertKeySet(LibraryCode.UNREADABLE_EC_KEY, "{\"keys\":[{\"kty\":\"EC\",\"kid\":\"k\",\"crv\":\"P-384\"}]}");
        String zeros = Base64Url.encode(new byte[32]);
        assertKeySet(
            LibraryCode.UNTRUSTED_SERVER_KEY,
            "{\"keys\":[{\"kty\":\"EC\",\"kid\":\"k\",\"crv\":\"P-256\",\"x\":\"" + zeros
                + "\",\"y\":\"" + zeros + "\"}]}");
    }

    private void assertKeySet(int code, String set) throws Exception {
        try (TestServer wrong = new TestServer(request -> new TestServer.Answer(200, set))) {
            DefinitionTokenParameters parameters = new DefinitionTokenParameters(TOKEN, "c2ln", "4343");
            assertEquals(set, code, session.postDefinePINECDHRequest(parameters, wrong.url).errorCode);
            assertEquals("no PIN is sent", 1, wrong.requests.size());
        }
    }

    @Test
    public void aShortRSAKeyIsRefused() throws Exception {
        String set = "{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"k\",\"e\":\"AQAB\",\"n\":\"" + Base64Url.encode(new byte[] {
            (byte) 0x81, 1}) + "\"}]}";
        try (TestServer wrong = new TestServer(request -> new TestServer.Answer(200, set))) {
            assertEquals(
                LibraryCode.BAD_ANSWER_FORMAT, session.postDefinePINRequest(parameters("4343"), wrong.url).errorCode);
        }
    }

    @Test
    public void theTokenMustBeJSON() {
        for (String token : new String[] {"x", "[]", "{\"IdBEL\":1}", "{\"IdBEL\":\"a\",\"IdBEL\":\"b\"}"}) {
            DefinitionTokenParameters parameters = new DefinitionTokenParameters(token, "c2ln", "4343");
            assertEquals(
                token, LibraryCode.INVALID_INPUT, session.postDefinePINECDHRequest(parameters, server.url).errorCode);
        }
    }

    @Test
    public void codesOfTheServerAreHandedOver() {
        fake.code = DefinitionCode.BAD_HASH_MAC;
        assertEquals(141, define("4343").errorCode);
        fake.code = DefinitionCode.INVALID_SIGNATURE;
        assertEquals(206, byToken("4343").errorCode);
    }

    @Test
    public void aSealedPINIsSentAsItIs() throws Exception {
        SealedPIN sealed = session.sealPIN("BANK", "102456", "1562320989", "4343", server.url);
        assertEquals(0, sealed.errorCode);
        assertEquals("SealedPIN(0: Success)", sealed.toString());
        assertEquals(0, session.postDefinePINRequest(new DefinitionParameters(sealed, "ab"), server.url).errorCode);
        assertEquals("BANK", lastSent().text("bankId"));
        assertEquals("1562320989", lastSent().text("timestamp"));
        assertBinding(sealed, lastSent().text("pin"));
        assertHeader(lastSent().text("pin"), "pin", "1562320989", null);
        assertEquals("the keys were asked for once", 2, server.requests.size());
        assertEquals(Arrays.asList(PADDED_PIN), fake.defined);
    }

    @Test
    public void sealedPINsForTokensAreSentAsTheyAre() throws Exception {
        SealedPIN sealed = session.sealPINECDH("BANK", "102456", "4567897", "4343", server.url);
        DefinitionTokenParameters parameters = new DefinitionTokenParameters(TOKEN, "c2ln", sealed);
        assertEquals(0, session.postDefinePINECDHRequest(parameters, server.url).errorCode);
        assertBinding(sealed, lastSent().text("pin"));
        assertHeader(lastSent().text("pin"), "pin", "4567897", null);
        assertEquals(LibraryCode.INVALID_INPUT, byIndexes(parameters).errorCode);

        SealedPIN indexes = session.sealPINECDHCB("BANK", "102456", "4567897", "[0, 1, 0, 1]", "k-9", server.url);
        parameters = new DefinitionTokenParameters(TOKEN, "c2ln", indexes);
        assertEquals(0, byIndexes(parameters).errorCode);
        assertBinding(indexes, lastSent().text("indexes"));
        assertEquals("k-9", lastSent().text("keypadId"));
        assertHeader(lastSent().text("indexes"), "indexes", "4567897", "k-9");
        assertEquals(LibraryCode.INVALID_INPUT, session.postDefinePINECDHRequest(parameters, server.url).errorCode);
    }

    private static void assertBinding(SealedPIN sealed, String sent) {
        assertEquals(Base64Url.encode(Digests.sha256(Texts.utf8(sent))), sealed.getBinding());
        assertEquals(43, sealed.getBinding().length());
    }

    @Test
    public void aSealedPINIsForTheRequestThatTheTokenNames() {
        String[][] others = {{"OTHER", "102456", "4567897"}, {"BANK", "1", "4567897"}, {"BANK", "102456", "1"}};
        for (String[] names : others) {
            SealedPIN sealed = session.sealPINECDH(names[0], names[1], names[2], "4343", server.url);
            DefinitionTokenParameters parameters = new DefinitionTokenParameters(TOKEN, "c2ln", sealed);
            assertEquals(
                LibraryCode.INVALID_INPUT, session.postDefinePINECDHRequest(parameters, server.url).errorCode);
        }
        assertTrue(fake.defined.isEmpty());
    }

    @Test
    public void sealingThatFailsSaysWhy() {
        SealedPIN sealed = session.sealPIN("BANK", "102456", "1562320989", "12", server.url);
        assertEquals(LibraryCode.BAD_PIN_FORMAT, sealed.errorCode);
        assertNull(sealed.getBinding());
        DefinitionParameters parameters = new DefinitionParameters(sealed, "ab");
        assertEquals(LibraryCode.BAD_PIN_FORMAT, session.postDefinePINRequest(parameters, server.url).errorCode);
        assertEquals(
            LibraryCode.INVALID_INPUT, session.sealPINECDHCB("B", "u", "i", "0,1,0,1", "", server.url).errorCode);
        assertEquals(LibraryCode.INVALID_INPUT, session.sealPIN("B", "u", "", "4343", server.url).errorCode);
        assertEquals(LibraryCode.INVALID_INPUT, session.sealPIN("B", "u", "t", null, server.url).errorCode);
        assertEquals(LibraryCode.INVALID_INPUT, session.sealPIN("B", "u", "t", "4343", "http://host").errorCode);
        DefinitionParameters none = new DefinitionParameters((SealedPIN) null, "ab");
        assertEquals(LibraryCode.INVALID_INPUT, session.postDefinePINRequest(none, server.url).errorCode);
        assertEquals(0, server.requests.size());
    }
}
