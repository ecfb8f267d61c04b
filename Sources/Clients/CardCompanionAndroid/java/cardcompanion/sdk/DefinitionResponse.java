package cardcompanion.sdk;

import cardcompanion.sdk.internal.Outcome;

/**
 * The result of a PIN definition (SDK document, sections 4.3 to 4.5). {@link #errorCode} is a {@link DefinitionCode}.
 */
public class DefinitionResponse extends SDKResponse {
    /**
     * When the PIN works with the card: {@code now} or {@code later}. Null on an error, and if the bank does not say
     * so.
     */
    public final String effective;

    DefinitionResponse(Outcome outcome) {
        super(outcome);
        effective = outcome.effective;
    }

    /**
     * When the PIN works with the card.
     *
     * @return {@code now} or {@code later}; null on an error, and if the bank does not say so
     */
    public final String getEffective() {
        return effective;
    }
}
