package cardcompanion.sdk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import cardcompanion.sdk.internal.Base64Url;
import cardcompanion.sdk.internal.Digests;
import cardcompanion.sdk.internal.Hex;
import cardcompanion.sdk.internal.JsonObject;
import cardcompanion.sdk.internal.JsonParser;
import cardcompanion.sdk.internal.Texts;
import cardcompanion.tests.FakeServer;
import cardcompanion.tests.TestServer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Fetching a PIN, and notifying the server. */
public class DistributionTest {
    private static final String TOKEN =
        "{\"IdBEL\":\"BANK\",\"IdPorteur\":\"102456\",\"IdTransaction\":\"4567897\",\"Type\":\"01\"}";

    private FakeServer fake;
    private TestServer server;
    private final CardCompanionSession session = new CardCompanionSession();

    @Before
    public void start() throws Exception {
        fake = new FakeServer();
        server = new TestServer(fake);
    }

    @After
    public void stop() {
        server.close();
    }

    private static ProvisioningParameters parameters() {
        return new ProvisioningParameters("BANK", "102456", "secret-code", "1562320989", "ab");
    }

    /** By token, because a key of P-256 is made much faster than one of RSA. */
    private ProvisioningResponse fetch() {
        return session.postGetPINCaptchaTokenRequest(new TokenProvisioningParameters(TOKEN, "c2ln"), server.url);
    }

    private NotifyResponse notify(int status) {
        NotifyParameters parameters = new NotifyParameters(FakeServer.SESSION, "BANK", "102456", status);
        return session.postNotifyRequest(parameters, server.url);
    }

    private JsonObject sent(int index) throws Exception {
        return JsonParser.object(server.requests.get(index).body);
    }

    @Test
    public void aCaptchaIsDelivered() throws Exception {
        ProvisioningResponse response = session.postGetPINCaptchaRequest(parameters(), server.url);
        assertEquals(response.toString(), 0, response.errorCode);
        assertTrue(response.isSuccess());
        assertEquals(FakeServer.IMAGE, response.pin);
        assertEquals(Arrays.asList(FakeServer.IMAGE), response.getImages());
        assertEquals(FakeServer.SESSION, response.sessionId);
        assertEquals("Bonjour", response.getFreeField());
        assertNull(response.text);
        JsonObject request = sent(0);
        assertEquals(
            "[bankId, uniqueId, authCode, timestamp, hashMac, rsaPublicKey]", request.names().toString());
        assertEquals("secret-code", request.text("authCode"));
    }

    @Test
    public void aTokenFetchDelivers() throws Exception {
        GetPINTokenResponse response =
            session.postGetPINCaptchaTokenRequest(new TokenProvisioningParameters(TOKEN, "c2ln"), server.url);
        assertEquals(response.toString(), 0, response.errorCode);
        assertEquals(FakeServer.IMAGE, response.getPin());
        assertEquals("[token, signature, ecdhPublicKey]", sent(0).names().toString());
        assertEquals(TOKEN, sent(0).text("token"));
        TokenNotifyResponse notified = session.postNotifyTokenRequest(
            new TokenNotifyParameters(TOKEN, FakeServer.SESSION, NotifyStatus.SUCCESS), server.url);
        assertEquals(notified.toString(), 0, notified.errorCode);
        assertEquals(hash(0), sent(1).text("hash"));
        assertEquals("[token, sessionId, status, hash]", sent(1).names().toString());
    }

    private static String hash(int status) {
        return Hex.encode(Digests.hmac(FakeServer.NOTIFY_KEY, Texts.utf8("BANK102456" + FakeServer.SESSION + status)));
    }

    @Test
    public void eachFetchHasAKeyOfItsOwn() throws Exception {
        fetch();
        fetch();
        assertTrue(!sent(0).text("ecdhPublicKey").equals(sent(1).text("ecdhPublicKey")));
    }

    @Test
    public void digitsComeInTheOrderOfThePIN() {
        Map<String, Object> delivery = FakeServer.captcha();
        String[] images = new String[4];
        for (int index = 0; index < images.length; index++) {
            byte[] image = Arrays.copyOf(Base64.getDecoder().decode(FakeServer.IMAGE), 10);
            image[9] = (byte) index;
            images[index] = Base64.getEncoder().encodeToString(image);
        }
        delivery.put("format", "digits");
        delivery.put("images", Arrays.asList(images));
        delivery.put("order", Arrays.asList(2, 0, 3, 1));
        fake.delivery = delivery;
        ProvisioningResponse response = fetch();
        assertNull(response.pin);
        List<String> wanted = Arrays.asList(images[2], images[0], images[3], images[1]);
        assertEquals(wanted, response.images);
    }

    @Test
    public void imagesThatDoNotAddUpKeepTheSession() {
        fake.delivery = FakeServer.captcha();
        fake.delivery.put("images", Arrays.asList(FakeServer.IMAGE, FakeServer.IMAGE));
        ProvisioningResponse response = fetch();
        assertEquals(LibraryCode.INCOMPLETE_PIN, response.errorCode);
        assertNull(response.pin);
        assertTrue(response.images.isEmpty());
        assertEquals(FakeServer.SESSION, response.sessionId);
        assertEquals(0, notify(1).errorCode);
    }

    @Test
    public void textIsTakenOnlyIfItWasAskedFor() throws Exception {
        fake.delivery = FakeServer.captcha();
        fake.delivery.put("format", "text");
        fake.delivery.put("images", null);
        fake.delivery.put("text", "4343");
        assertEquals(LibraryCode.PLAINTEXT_NOT_PARSED, fetch().errorCode);
        DisplayHints hints = DisplayHints.NONE.withFormats(DisplayHints.Format.CAPTCHA, DisplayHints.Format.TEXT)
            .withStyle(DisplayHints.Style.CALM).withTheme(DisplayHints.Theme.DARK).withScale(3);
        TokenProvisioningParameters parameters = new TokenProvisioningParameters(TOKEN, "c2ln").withHints(hints);
        ProvisioningResponse response = session.postGetPINCaptchaTokenRequest(parameters, server.url);
        assertEquals("4343", response.getText());
        assertNull(response.pin);
        assertTrue(response.images.isEmpty());
        JsonObject request = sent(1);
        assertEquals("calm", request.text("style"));
        assertEquals("dark", request.text("theme"));
        assertEquals(3, request.requiredInteger("scale"));
        assertEquals(Arrays.asList("captcha", "text"), request.texts("formats"));
        fake.delivery.put("text", "43434");
        assertEquals(
            LibraryCode.INCOMPLETE_PIN, session.postGetPINCaptchaTokenRequest(parameters, server.url).errorCode);
    }

    @Test
    public void codesOfTheServerAreHandedOver() {
        fake.code = DistributionCode.WRONG_AUTHENTICATION_CODE;
        ProvisioningResponse response = fetch();
        assertEquals(203, response.errorCode);
        assertEquals("code 203", response.errorMessage);
        assertNull(response.sessionId);
        assertNull(response.notifyReceipt);
    }

    @Test
    public void missingParametersAreRefusedBeforeAnythingIsSent() {
        ProvisioningParameters[] refused = {
            null,
            new ProvisioningParameters("", "u", "a", "t", "h"),
            new ProvisioningParameters("b", null, "a", "t", "h"),
            new ProvisioningParameters("b", "u", "", "t", "h"),
            new ProvisioningParameters("b", "u", "a", null, "h"),
            new ProvisioningParameters("b", "u", "a", "t", ""),
            new ProvisioningParameters("b\uD800", "u", "a", "t", "h"),
        };
        for (ProvisioningParameters parameters : refused) {
            ProvisioningResponse response = session.postGetPINCaptchaRequest(parameters, server.url);
            assertEquals(LibraryCode.INVALID_INPUT, response.errorCode);
        }
        TokenProvisioningParameters token = new TokenProvisioningParameters(TOKEN, null);
        assertEquals(LibraryCode.INVALID_INPUT, session.postGetPINCaptchaTokenRequest(token, server.url).errorCode);
        assertEquals(0, server.requests.size());
    }

    @Test
    public void aNotifyProvesThatTheDeliveryWasOpened() throws Exception {
        fetch();
        assertEquals(0, notify(0).errorCode);
        JsonObject request = sent(1);
        assertEquals("[bankId, uniqueId, sessionId, status, hash]", request.names().toString());
        assertEquals(0, request.requiredInteger("status"));
        assertEquals(hash(0), request.text("hash"));
        assertEquals("the key is gone", LibraryCode.INVALID_INPUT, notify(0).errorCode);
    }

    @Test
    public void aNotifyThatFailsCanBeSentAgain() {
        fetch();
        fake.code = DistributionCode.UNEXPECTED_ERROR;
        assertEquals(500, notify(2).errorCode);
        fake.code = DistributionCode.BAD_PARAMETER;
        assertEquals(312, notify(2).errorCode);
        NotifyResponse response = notify(2);
        assertEquals(LibraryCode.INVALID_INPUT, response.errorCode);
        assertTrue(response.errorMessage, response.errorMessage.contains("FileReceiptStore"));
    }

    @Test
    public void theOrderOfTheNotifysParametersIsChecked() {
        fetch();
        NotifyParameters[] refused = {
            new NotifyParameters("BANK", "102456", FakeServer.SESSION, 0),
            new NotifyParameters(FakeServer.SESSION, "BANK", "102456", 3),
            new NotifyParameters(FakeServer.SESSION, "BANK", "102456", "SUCCESS"),
            new NotifyParameters(FakeServer.SESSION, "BANK", "102456", (NotifyStatus) null),
            new NotifyParameters(FakeServer.SESSION.substring(1), "BANK", "102456", "0"),
        };
        for (NotifyParameters parameters : refused) {
            NotifyResponse response = session.postNotifyRequest(parameters, server.url);
            assertEquals(LibraryCode.INVALID_INPUT, response.errorCode);
            String order = "NotifyParameters takes sessionId, bankId, uniqueId, status in this order";
            assertTrue(response.errorMessage, response.errorMessage.contains(order));
        }
        NotifyParameters right = new NotifyParameters(FakeServer.SESSION, "BANK", "102456", "2");
        assertEquals(0, session.postNotifyRequest(right, server.url).errorCode);
    }

    @Test
    public void aTokenNotifyNeedsATokenWithNames() {
        String[] tokens = {"{}", "no JSON", "{\"IdBEL\":\"B\"}", "{\"IdBEL\":\"B\",\"IdPorteur\":7}", ""};
        for (String token : tokens) {
            TokenNotifyParameters parameters = new TokenNotifyParameters(token, FakeServer.SESSION, "0");
            assertEquals(LibraryCode.INVALID_INPUT, session.postNotifyTokenRequest(parameters, server.url).errorCode);
        }
        TokenNotifyParameters status = new TokenNotifyParameters(TOKEN, FakeServer.SESSION, 7);
        assertEquals(LibraryCode.INVALID_INPUT, session.postNotifyTokenRequest(status, server.url).errorCode);
        assertEquals(0, server.requests.size());
    }

    @Test
    public void aPreparedFetchUsesItsKeyAlsoIfItIsRepeated() throws Exception {
        PreparedFetch prepared = PINDistribution.prepareFetch();
        assertEquals(0, prepared.errorCode);
        ProvisioningParameters parameters = parameters().withPreparedFetch(prepared).withHints(DisplayHints.NONE);
        assertEquals(0, session.postGetPINCaptchaRequest(parameters, server.url).errorCode);
        byte[] sent = Base64.getDecoder().decode(sent(0).text("rsaPublicKey"));
        assertEquals(Base64Url.encode(Digests.sha256(sent)), prepared.getBinding());
        assertEquals(43, prepared.getBinding().length());
        assertEquals(0, session.postGetPINCaptchaRequest(parameters, server.url).errorCode);
        assertEquals(sent(0).text("rsaPublicKey"), sent(1).text("rsaPublicKey"));
    }

    @Test
    public void aPreparedTokenFetchIsForTokens() throws Exception {
        PreparedFetch prepared = PINDistribution.prepareTokenFetch();
        assertEquals(
            LibraryCode.INVALID_INPUT,
            session.postGetPINCaptchaRequest(parameters().withPreparedFetch(prepared), server.url).errorCode);
        TokenProvisioningParameters parameters =
            new TokenProvisioningParameters(TOKEN, "c2ln").withPreparedFetch(prepared);
        assertEquals(0, session.postGetPINCaptchaTokenRequest(parameters, server.url).errorCode);
        byte[] sent = Base64.getDecoder().decode(sent(0).text("ecdhPublicKey"));
        assertEquals(Base64Url.encode(Digests.sha256(sent)), prepared.getBinding());
        parameters = new TokenProvisioningParameters(TOKEN, "c2ln").withPreparedFetch(PINDistribution.prepareFetch());
        assertEquals(
            LibraryCode.INVALID_INPUT, session.postGetPINCaptchaTokenRequest(parameters, server.url).errorCode);
    }

    @Test
    public void theSharedSessionCanBeReplaced() {
        CardCompanionSession before = CardCompanionSession.shared();
        try {
            CardCompanionSession.setShared(session);
            Object context = new Object();
            assertEquals(0, PINDistribution.postGetPINCaptchaRequest(context, parameters(), server.url).errorCode);
            NotifyParameters notify = new NotifyParameters(FakeServer.SESSION, "BANK", "102456", NotifyStatus.SUCCESS);
            assertEquals(0, PINDistribution.postNotifyRequest(notify, server.url, context).errorCode);
        } finally {
            CardCompanionSession.setShared(before);
        }
    }

    @Test
    public void nothingSecretIsInATextOfParametersOrResponses() {
        ProvisioningResponse response = fetch();
        assertNotNull(response.pin);
        List<Object> objects = Arrays.asList(
            response, parameters(), new TokenProvisioningParameters(TOKEN, "c2ln"),
            new TokenNotifyParameters(TOKEN, FakeServer.SESSION, 0),
            new DefinitionParameters("BANK", "102456", "1562320989", "abcd", "4343"),
            new DefinitionParameters("BANK", "102456", "1562320989", "abcd", "4343".toCharArray()),
            new DefinitionTokenParameters(TOKEN, "c2ln", "4343"),
            new DefinitionTokenParameters(TOKEN, "c2ln", Arrays.asList(0, 1, 0, 1)),
            new NotifyParameters(FakeServer.SESSION, "BANK", "102456", 0),
            new KeyPadCoordinatesParameters("BANK", "102456", 12), PINDistribution.prepareTokenFetch(), session);
        for (Object object : objects) {
            String text = object.toString();
            for (String secret : Arrays.asList(
                    "4343", "secret-code", "c2ln", "IdBEL", "0, 1", "abcd", FakeServer.SESSION, FakeServer.IMAGE,
                    response.notifyReceipt)) {
                assertTrue(text, !text.contains(secret));
            }
        }
        assertEquals("GetPINTokenResponse(0: Success)", response.toString());
        assertEquals("DefinitionParameters(redacted)", objects.get(4).toString());
        assertEquals(Collections.singletonList(FakeServer.IMAGE), response.images);
    }
}
