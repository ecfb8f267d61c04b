package cardcompanion.sdk;

import cardcompanion.sdk.internal.Outcome;

/** The result of a notify by token (SDK document, section 4.2.1). */
public final class TokenNotifyResponse extends NotifyResponse {
    TokenNotifyResponse(Outcome outcome) {
        super(outcome);
    }
}
