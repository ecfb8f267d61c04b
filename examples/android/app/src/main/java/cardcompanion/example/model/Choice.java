package cardcompanion.example.model;

import cardcompanion.sdk.DefinitionParameters;
import cardcompanion.sdk.DefinitionResponse;
import cardcompanion.sdk.DefinitionTokenParameters;
import cardcompanion.sdk.KeyPadCoordinatesParameters;
import cardcompanion.sdk.KeyPadCoordinatesResponse;
import cardcompanion.sdk.PINDefinition;
import cardcompanion.sdk.SDKResponse;
import cardcompanion.sdk.SealedPIN;
import java.util.List;

/** How a cardholder chooses a PIN. The bank's proofs are bound to it when it is sealed. All wait for the network. */
public final class Choice {
    private static final int KEYPAD_SIZE = 12;

    private final Object context;
    private final String hostUrl;
    private final Bank bank;
    private final String uniqueId;

    public Choice(Object context, String hostUrl, Bank bank, String uniqueId) {
        this.context = context;
        this.hostUrl = hostUrl;
        this.bank = bank;
        this.uniqueId = uniqueId;
    }

    /** Defines a PIN with the bank's hashMac. The caller overwrites the PIN. */
    public SDKResponse byHMAC(char[] pin) {
        String timestamp = bank.timestamp();
        SealedPIN sealed = PINDefinition.sealPIN(bank.bankId(), uniqueId, timestamp, pin, hostUrl);
        if (!sealed.isSuccess()) return sealed;
        String hashMac = bank.hashMac(uniqueId, timestamp, sealed.getBinding());
        return PINDefinition.postDefinePINRequest(context, new DefinitionParameters(sealed, hashMac), hostUrl);
    }

    /** Defines a PIN with a token. The caller overwrites the PIN. */
    public SDKResponse byToken(char[] pin) {
        String transactionId = bank.transactionId();
        SealedPIN sealed = PINDefinition.sealPINECDH(bank.bankId(), uniqueId, transactionId, pin, hostUrl);
        if (!sealed.isSuccess()) return sealed;
        return PINDefinition.postDefinePINECDHRequest(context, parameters(transactionId, sealed), hostUrl);
    }

    /** Fetches a keypad for {@link #onKeypad}. */
    public KeyPadCoordinatesResponse keypad() {
        KeyPadCoordinatesParameters parameters =
            new KeyPadCoordinatesParameters(bank.bankId(), uniqueId, KEYPAD_SIZE);
        return PINDefinition.postGetKeyPadCoordinatesRequest(context, parameters, hostUrl);
    }

    /** Defines a PIN by the places that the cardholder has touched. */
    public SDKResponse onKeypad(KeyPadCoordinatesResponse keypad, List<Integer> indexes) {
        String transactionId = bank.transactionId();
        SealedPIN sealed = PINDefinition.sealPINECDHCB(
            bank.bankId(), uniqueId, transactionId, indexes, keypad.keypadId, hostUrl);
        if (!sealed.isSuccess()) return sealed;
        DefinitionResponse response =
            PINDefinition.postDefinePINECDHCBRequest(context, parameters(transactionId, sealed), hostUrl);
        return response;
    }

    private DefinitionTokenParameters parameters(String transactionId, SealedPIN sealed) {
        Bank.SignedToken signed = bank.token(uniqueId, transactionId, "02", "", sealed.getBinding());
        return new DefinitionTokenParameters(signed.token, signed.signature, sealed);
    }
}
