package cardcompanion.sdk;

import cardcompanion.sdk.internal.Outcome;

/** The result of a notify (SDK document, section 4.1.1). {@link #errorCode} is a {@link DistributionCode}. */
public class NotifyResponse extends SDKResponse {
    NotifyResponse(Outcome outcome) {
        super(outcome);
    }
}
