package cardcompanion.sdk;

import java.nio.CharBuffer;
import java.util.List;

/**
 * PIN definition (SDK document, sections 4.3 to 4.5): the cardholder chooses the PIN.
 *
 * <p>The operations wait for the network: do not call them on the main thread, or use {@link Async}. They do not throw:
 * errorCode of the response is 0 for success, a {@link DefinitionCode} or a {@link LibraryCode}. They use the shared
 * {@link CardCompanionSession}.
 */
public final class PINDefinition {
    private PINDefinition() {}

    /**
     * Defines a PIN. The bank's HMAC authenticates the request (SDK document, section 4.3.1).
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the code
     */
    public static DefinitionResponse postDefinePINRequest(
            Object context, DefinitionParameters parameters, String hostUrl) {
        return CardCompanionSession.shared().postDefinePINRequest(parameters, hostUrl);
    }

    /**
     * The same with the parameters in the order of the SDK document's tables.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the code
     */
    public static DefinitionResponse postDefinePINRequest(
            DefinitionParameters parameters, String hostUrl, Object context) {
        return postDefinePINRequest(context, parameters, hostUrl);
    }

    /**
     * Defines a PIN. A token that the bank's back-end has signed authenticates the request (SDK document, section
     * 4.4.1).
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the code
     */
    public static GetPINTokenResponse postDefinePINECDHRequest(
            Object context, DefinitionTokenParameters parameters, String hostUrl) {
        return CardCompanionSession.shared().postDefinePINECDHRequest(parameters, hostUrl);
    }

    /**
     * The same with the parameters in the order of the SDK document's tables.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the code
     */
    public static GetPINTokenResponse postDefinePINECDHRequest(
            DefinitionTokenParameters parameters, String hostUrl, Object context) {
        return postDefinePINECDHRequest(context, parameters, hostUrl);
    }

    /**
     * Fetches a keypad with its digits at random places (SDK document, section 4.5.1).
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the keypad, or the code of an error
     */
    public static KeyPadCoordinatesResponse postGetKeyPadCoordinatesRequest(
            Object context, KeyPadCoordinatesParameters parameters, String hostUrl) {
        return CardCompanionSession.shared().postGetKeyPadCoordinatesRequest(parameters, hostUrl);
    }

    /**
     * The same with the parameters in the order of the SDK document's tables.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the keypad, or the code of an error
     */
    public static KeyPadCoordinatesResponse postGetKeyPadCoordinatesRequest(
            KeyPadCoordinatesParameters parameters, String hostUrl, Object context) {
        return postGetKeyPadCoordinatesRequest(context, parameters, hostUrl);
    }

    /**
     * Defines a PIN by the indexes of its digits on a keypad (CB; SDK document, section 4.5.1). A token
     * authenticates the request.
     *
     * <p>Without {@link DefinitionTokenParameters#withKeypadId} the indexes are on the keypad that the session has
     * handed out last for this bank and cardholder within five minutes. If keypads were asked for at the same time,
     * nobody knows which of them the cardholder sees: then the code is 90000, until one has been asked for alone.
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the code
     */
    public static DefinitionResponse postDefinePINECDHCBRequest(
            Object context, DefinitionTokenParameters parameters, String hostUrl) {
        return CardCompanionSession.shared().postDefinePINECDHCBRequest(parameters, hostUrl);
    }

    /**
     * The same with the parameters in the order of the SDK document's tables.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the code
     */
    public static DefinitionResponse postDefinePINECDHCBRequest(
            DefinitionTokenParameters parameters, String hostUrl, Object context) {
        return postDefinePINECDHCBRequest(context, parameters, hostUrl);
    }

    /**
     * Seals a PIN for {@link #postDefinePINRequest}, so that the bank's hashMac can be bound to it.
     *
     * @param bankId the bank's identifier
     * @param uniqueId the cardholder's unique identifier
     * @param timestamp the timestamp of the request to come, from the bank's back-end
     * @param pin the PIN's digits
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the sealed PIN, for {@link DefinitionParameters#DefinitionParameters(SealedPIN, String)}; or a {@link
     *     LibraryCode}
     */
    public static SealedPIN sealPIN(
            String bankId, String uniqueId, String timestamp, String pin, String hostUrl) {
        return CardCompanionSession.shared().sealPIN(bankId, uniqueId, timestamp, pin, hostUrl);
    }

    /**
     * Seals a PIN for {@link #postDefinePINRequest}, so that the bank's hashMac can be bound to it.
     *
     * @param bankId the bank's identifier
     * @param uniqueId the cardholder's unique identifier
     * @param timestamp the timestamp of the request to come, from the bank's back-end
     * @param pin the PIN's digits, which the app can overwrite after the call
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the sealed PIN, for {@link DefinitionParameters#DefinitionParameters(SealedPIN, String)}; or a {@link
     *     LibraryCode}
     */
    public static SealedPIN sealPIN(
            String bankId, String uniqueId, String timestamp, char[] pin, String hostUrl) {
        return CardCompanionSession.shared().sealPIN(bankId, uniqueId, timestamp, wrapped(pin), hostUrl);
    }

    /**
     * Seals a PIN for {@link #postDefinePINECDHRequest}, so that the bank's token can be bound to it.
     *
     * @param bankId the bank's identifier (IdBEL)
     * @param uniqueId the cardholder's unique identifier (IdPorteur)
     * @param idTransaction the IdTransaction of the token to come, from the bank's back-end
     * @param pin the PIN's digits
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the sealed PIN, for {@link DefinitionTokenParameters#DefinitionTokenParameters(String, String,
     *     SealedPIN)}; or a {@link LibraryCode}
     */
    public static SealedPIN sealPINECDH(
            String bankId, String uniqueId, String idTransaction, String pin, String hostUrl) {
        return CardCompanionSession.shared().sealPINECDH(bankId, uniqueId, idTransaction, pin, hostUrl);
    }

    /**
     * Seals a PIN for {@link #postDefinePINECDHRequest}, so that the bank's token can be bound to it.
     *
     * @param bankId the bank's identifier (IdBEL)
     * @param uniqueId the cardholder's unique identifier (IdPorteur)
     * @param idTransaction the IdTransaction of the token to come, from the bank's back-end
     * @param pin the PIN's digits, which the app can overwrite after the call
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the sealed PIN, for {@link DefinitionTokenParameters#DefinitionTokenParameters(String, String,
     *     SealedPIN)}; or a {@link LibraryCode}
     */
    public static SealedPIN sealPINECDH(
            String bankId, String uniqueId, String idTransaction, char[] pin, String hostUrl) {
        return CardCompanionSession.shared().sealPINECDH(bankId, uniqueId, idTransaction, wrapped(pin), hostUrl);
    }

    /**
     * Seals the indexes of a PIN for {@link #postDefinePINECDHCBRequest}, so that the bank's token can be bound to
     * them.
     *
     * @param bankId the bank's identifier (IdBEL)
     * @param uniqueId the cardholder's unique identifier (IdPorteur)
     * @param idTransaction the IdTransaction of the token to come, from the bank's back-end
     * @param indexes the index of each digit on the keypad
     * @param keypadId what {@link KeyPadCoordinatesResponse#keypadId} was; null for the keypad that was handed out last
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the sealed PIN, for {@link DefinitionTokenParameters#DefinitionTokenParameters(String, String,
     *     SealedPIN)}; or a {@link LibraryCode}
     */
    public static SealedPIN sealPINECDHCB(
            String bankId, String uniqueId, String idTransaction, String indexes, String keypadId, String hostUrl) {
        return CardCompanionSession.shared().sealPINECDHCB(
            bankId, uniqueId, idTransaction, indexes, keypadId, hostUrl);
    }

    /**
     * Seals the indexes of a PIN for {@link #postDefinePINECDHCBRequest}, so that the bank's token can be bound to
     * them.
     *
     * @param bankId the bank's identifier (IdBEL)
     * @param uniqueId the cardholder's unique identifier (IdPorteur)
     * @param idTransaction the IdTransaction of the token to come, from the bank's back-end
     * @param indexes the index of each digit on the keypad, which the app can overwrite after the call
     * @param keypadId what {@link KeyPadCoordinatesResponse#keypadId} was; null for the keypad that was handed out last
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the sealed PIN, for {@link DefinitionTokenParameters#DefinitionTokenParameters(String, String,
     *     SealedPIN)}; or a {@link LibraryCode}
     */
    public static SealedPIN sealPINECDHCB(
            String bankId, String uniqueId, String idTransaction, char[] indexes, String keypadId, String hostUrl) {
        return CardCompanionSession.shared().sealPINECDHCB(
            bankId, uniqueId, idTransaction, wrapped(indexes), keypadId, hostUrl);
    }

    /**
     * Seals the indexes of a PIN for {@link #postDefinePINECDHCBRequest}, so that the bank's token can be bound to
     * them.
     *
     * @param bankId the bank's identifier (IdBEL)
     * @param uniqueId the cardholder's unique identifier (IdPorteur)
     * @param idTransaction the IdTransaction of the token to come, from the bank's back-end
     * @param indexes the index of each digit on the keypad
     * @param keypadId what {@link KeyPadCoordinatesResponse#keypadId} was; null for the keypad that was handed out last
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the sealed PIN, for {@link DefinitionTokenParameters#DefinitionTokenParameters(String, String,
     *     SealedPIN)}; or a {@link LibraryCode}
     */
    public static SealedPIN sealPINECDHCB(
            String bankId, String uniqueId, String idTransaction, List<?> indexes, String keypadId, String hostUrl) {
        return CardCompanionSession.shared().sealPINECDHCB(
            bankId, uniqueId, idTransaction, indexes == null ? null : indexes.toString(), keypadId, hostUrl);
    }

    private static CharBuffer wrapped(char[] pin) {
        return pin == null ? null : CharBuffer.wrap(pin);
    }

    /**
     * Forgets the keypad that the shared session has handed out for a cardholder. An app need not call this: a newer
     * keypad takes the place of an older one.
     *
     * @param bankId the bank's identifier
     * @param uniqueId the cardholder's unique identifier
     */
    public static void discardKeypads(String bankId, String uniqueId) {
        CardCompanionSession.shared().discardKeypads(bankId, uniqueId);
    }
}
