package cardcompanion.sdk;

import cardcompanion.sdk.internal.Outcome;

/**
 * The result of a PIN definition (SDK document, sections 4.3 to 4.5). {@link #errorCode} is a {@link DefinitionCode}.
 */
public class DefinitionResponse extends SDKResponse {
    DefinitionResponse(Outcome outcome) {
        super(outcome);
    }
}
