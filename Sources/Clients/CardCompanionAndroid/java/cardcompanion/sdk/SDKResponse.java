package cardcompanion.sdk;

import cardcompanion.sdk.internal.Outcome;

/** What the responses of all operations have in common: the code, and its meaning. */
public abstract class SDKResponse {
    /**
     * 0 for success, else a code of the server's ({@link DistributionCode}, {@link DefinitionCode}) or a {@link
     * LibraryCode}.
     */
    public final int errorCode;

    /** The code's meaning in words, for people. It contains no secret. */
    public final String errorMessage;

    /**
     * After how many seconds the app may try again, if the server was too busy (code 90015 with HTTP status 429 or
     * 503) and said so. Null otherwise.
     */
    public final Integer retryAfterSeconds;

    SDKResponse(Outcome outcome) {
        errorCode = outcome.errorCode;
        errorMessage = outcome.errorMessage;
        retryAfterSeconds = outcome.retryAfterSeconds;
    }

    /**
     * 0 for success, else a code of the server's ({@link DistributionCode}, {@link DefinitionCode}) or a
     * {@link LibraryCode}.
     *
     * @return the code
     */
    public final int getErrorCode() {
        return errorCode;
    }

    /**
     * The code's meaning in words, for people.
     *
     * @return the message, which contains no secret
     */
    public final String getErrorMessage() {
        return errorMessage;
    }

    /**
     * After how many seconds the app may try again, if the server was too busy (code 90015) and said so.
     *
     * @return the seconds, or null
     */
    public final Integer getRetryAfterSeconds() {
        return retryAfterSeconds;
    }

    /**
     * Whether the operation has succeeded.
     *
     * @return whether the code is 0
     */
    public final boolean isSuccess() {
        return errorCode == 0;
    }

    /** The code and its message only, so that a log of a response shows no PIN. */
    @Override
    public final String toString() {
        return getClass().getSimpleName() + "(" + errorCode + ": " + errorMessage + ")";
    }
}
