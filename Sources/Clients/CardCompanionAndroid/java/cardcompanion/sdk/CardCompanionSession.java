package cardcompanion.sdk;

import cardcompanion.sdk.internal.Algorithm;
import cardcompanion.sdk.internal.HttpClient;
import cardcompanion.sdk.internal.KeypadMemory;
import cardcompanion.sdk.internal.NotifyKeys;
import cardcompanion.sdk.internal.RequestBinding;
import cardcompanion.sdk.internal.RequestBinding.Content;
import cardcompanion.sdk.internal.RetryWait;
import java.util.Collections;
import java.util.function.LongSupplier;

/**
 * The state that the library keeps between calls: the notify key of each fetch, which its notify needs, and which
 * keypads were fetched. So a notify must use the same session as its fetch, and a definition by keypad the same as
 * its keypad.
 *
 * <p>The functions of {@link PINDistribution} and {@link PINDefinition} use the shared session, which is enough for
 * most apps:
 *
 * <pre>
 * // in Application.onCreate
 * CardCompanionSession.setShared(new CardCompanionSession(
 *     new CardCompanionConfiguration().withPinnedServerKeyThumbprints(...)));
 * CardCompanionSession.shared().setReceiptStore(new FileReceiptStore(getNoBackupFilesDir()));
 * </pre>
 *
 * <p>A session can be used from all threads. Its operations wait for the network: do not call them on the main
 * thread, or use {@link Async}. They do not throw: errorCode of the response is 0 for success or the code of an
 * error.
 */
public final class CardCompanionSession {
    private static volatile CardCompanionSession shared = new CardCompanionSession();

    private final CardCompanionConfiguration configuration;
    private final Receipts receipts;
    private final KeypadMemory keypads;
    private final Distribution distribution;
    private final Definition definition;

    /** Creates a session with the default settings. */
    public CardCompanionSession() {
        this(new CardCompanionConfiguration());
    }

    /**
     * Creates a session that has no notify keys and keypads yet.
     *
     * @param configuration the settings
     */
    public CardCompanionSession(CardCompanionConfiguration configuration) {
        // Time while the device sleeps may not count. Then the server says that a session or a keypad is over.
        this(configuration, () -> System.nanoTime() / 1_000_000_000L);
    }

    CardCompanionSession(CardCompanionConfiguration configuration, LongSupplier nowSeconds) {
        this(configuration, nowSeconds, RetryWait.REAL);
    }

    CardCompanionSession(CardCompanionConfiguration configuration, LongSupplier nowSeconds, RetryWait wait) {
        this.configuration = configuration;
        HttpClient http =
            new HttpClient(configuration.getTimeoutSeconds(), configuration.getMaximumAnswerByteCount(), wait);
        receipts = new Receipts(new NotifyKeys(nowSeconds));
        keypads = new KeypadMemory(nowSeconds);
        distribution = new Distribution(configuration, http, receipts);
        definition = new Definition(configuration, http, keypads);
    }

    /**
     * The session of the functions of {@link PINDistribution} and {@link PINDefinition}.
     *
     * @return the session
     */
    public static CardCompanionSession shared() {
        return shared;
    }

    /**
     * Lets the functions of {@link PINDistribution} and {@link PINDefinition} use another session. Call it when the
     * app starts.
     *
     * @param session the session
     */
    public static void setShared(CardCompanionSession session) {
        if (session == null) throw new IllegalArgumentException("the session is null");
        shared = session;
    }

    /**
     * The session's settings.
     *
     * @return the settings
     */
    public CardCompanionConfiguration getConfiguration() {
        return configuration;
    }

    /**
     * Lets the session keep its receipts, so that a notify works after the app was closed. Call it when the app starts.
     *
     * @param store the store, such as a {@link FileReceiptStore}; null to keep receipts in memory only
     */
    public void setReceiptStore(ReceiptStore store) {
        receipts.setStore(store);
    }

    /**
     * Brings back the notify key of a fetch that the app has stored itself. The session does not judge the receipt's
     * age: the server answers 312 if the fetch is too long ago.
     *
     * @param notifyReceipt what {@link ProvisioningResponse#notifyReceipt} was
     * @return whether the text is a receipt; if not, nothing changes
     */
    public boolean restore(String notifyReceipt) {
        return receipts.restore(notifyReceipt);
    }

    /**
     * As {@link PINDistribution#postGetPINCaptchaRequest}, in this session.
     *
     * @param parameters the parameters
     * @param hostUrl the server's base URL
     * @return the PIN, or the code of an error
     */
    public ProvisioningResponse postGetPINCaptchaRequest(ProvisioningParameters parameters, String hostUrl) {
        return Operation.run(
            () -> distribution.fetch(parameters, hostUrl),
            outcome -> new ProvisioningResponse(outcome, Delivery.NONE));
    }

    /**
     * As {@link PINDistribution#postNotifyRequest}, in this session.
     *
     * @param parameters the parameters
     * @param hostUrl the server's base URL
     * @return the code
     */
    public NotifyResponse postNotifyRequest(NotifyParameters parameters, String hostUrl) {
        return Operation.run(() -> distribution.notify(parameters, hostUrl), NotifyResponse::new);
    }

    /**
     * As {@link PINDistribution#postGetPINCaptchaTokenRequest}, in this session.
     *
     * @param parameters the parameters
     * @param hostUrl the server's base URL
     * @return the PIN, or the code of an error
     */
    public GetPINTokenResponse postGetPINCaptchaTokenRequest(TokenProvisioningParameters parameters, String hostUrl) {
        return Operation.run(
            () -> distribution.fetch(parameters, hostUrl), outcome -> new GetPINTokenResponse(outcome, Delivery.NONE));
    }

    /**
     * As {@link PINDistribution#postNotifyTokenRequest}, in this session.
     *
     * @param parameters the parameters
     * @param hostUrl the server's base URL
     * @return the code
     */
    public TokenNotifyResponse postNotifyTokenRequest(TokenNotifyParameters parameters, String hostUrl) {
        return Operation.run(() -> distribution.notify(parameters, hostUrl), TokenNotifyResponse::new);
    }

    /**
     * As {@link PINDefinition#postDefinePINRequest}, in this session.
     *
     * @param parameters the parameters
     * @param hostUrl the server's base URL
     * @return the code
     */
    public DefinitionResponse postDefinePINRequest(DefinitionParameters parameters, String hostUrl) {
        return Operation.run(() -> definition.define(parameters, hostUrl), DefinitionResponse::new);
    }

    /**
     * As {@link PINDefinition#postDefinePINECDHRequest}, in this session.
     *
     * @param parameters the parameters
     * @param hostUrl the server's base URL
     * @return the code
     */
    public GetPINTokenResponse postDefinePINECDHRequest(DefinitionTokenParameters parameters, String hostUrl) {
        return Operation.run(
            () -> definition.defineByToken(parameters, hostUrl),
            outcome -> new GetPINTokenResponse(outcome, Delivery.NONE));
    }

    /**
     * As {@link PINDefinition#postGetKeyPadCoordinatesRequest}, in this session.
     *
     * @param parameters the parameters
     * @param hostUrl the server's base URL
     * @return the keypad, or the code of an error
     */
    public KeyPadCoordinatesResponse postGetKeyPadCoordinatesRequest(
            KeyPadCoordinatesParameters parameters, String hostUrl) {
        return Operation.run(
            () -> definition.fetchKeypad(parameters, hostUrl),
            outcome -> new KeyPadCoordinatesResponse(outcome, Collections.<String>emptyList(), null));
    }

    /**
     * As {@link PINDefinition#postDefinePINECDHCBRequest}, in this session.
     *
     * @param parameters the parameters
     * @param hostUrl the server's base URL
     * @return the code
     */
    public DefinitionResponse postDefinePINECDHCBRequest(DefinitionTokenParameters parameters, String hostUrl) {
        return Operation.run(() -> definition.defineByIndexes(parameters, hostUrl), DefinitionResponse::new);
    }

    /**
     * Forgets the keypad of a cardholder.
     *
     * @param bankId the bank's identifier
     * @param uniqueId the cardholder's unique identifier
     */
    public void discardKeypads(String bankId, String uniqueId) {
        keypads.forgetAll(bankId, uniqueId);
    }

    /**
     * As {@link PINDefinition#sealPIN}, in this session.
     *
     * @param bankId the bank's identifier
     * @param uniqueId the cardholder's unique identifier
     * @param timestamp the timestamp of the request to come
     * @param pin the PIN's digits, such as a String or a CharBuffer around an array
     * @param hostUrl the server's base URL
     * @return the sealed PIN, or a {@link LibraryCode}
     */
    public SealedPIN sealPIN(
            String bankId, String uniqueId, String timestamp, CharSequence pin, String hostUrl) {
        RequestBinding request = new RequestBinding(Content.PIN, bankId, uniqueId, timestamp, null);
        return definition.seal(pin, request, Algorithm.RSA_OAEP_256, hostUrl);
    }

    /**
     * As {@link PINDefinition#sealPINECDH}, in this session.
     *
     * @param bankId the bank's identifier
     * @param uniqueId the cardholder's unique identifier
     * @param idTransaction the IdTransaction of the token to come
     * @param pin the PIN's digits, such as a String or a CharBuffer around an array
     * @param hostUrl the server's base URL
     * @return the sealed PIN, or a {@link LibraryCode}
     */
    public SealedPIN sealPINECDH(
            String bankId, String uniqueId, String idTransaction, CharSequence pin, String hostUrl) {
        RequestBinding request = new RequestBinding(Content.PIN, bankId, uniqueId, idTransaction, null);
        return definition.seal(pin, request, Algorithm.ECDH_ES_A256KW, hostUrl);
    }

    /**
     * As {@link PINDefinition#sealPINECDHCB}, in this session.
     *
     * @param bankId the bank's identifier
     * @param uniqueId the cardholder's unique identifier
     * @param idTransaction the IdTransaction of the token to come
     * @param indexes the index of each digit on the keypad, such as a String or a CharBuffer around an array
     * @param keypadId what {@link KeyPadCoordinatesResponse#keypadId} was; null for the keypad that was handed out last
     * @param hostUrl the server's base URL
     * @return the sealed PIN, or a {@link LibraryCode}
     */
    public SealedPIN sealPINECDHCB(
            String bankId, String uniqueId, String idTransaction, CharSequence indexes, String keypadId,
            String hostUrl) {
        RequestBinding request = new RequestBinding(Content.INDEXES, bankId, uniqueId, idTransaction, keypadId);
        return definition.seal(indexes, request, Algorithm.ECDH_ES_A256KW, hostUrl);
    }
}
