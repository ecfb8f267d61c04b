package cardcompanion.sdk.internal;

import cardcompanion.sdk.LibraryCode;

/** The members of a token that name its request. The server says what is missing. */
public final class TokenNames {
    /** Null if absent, as the next two. */
    public final String bankId;
    public final String uniqueId;
    public final String transactionId;

    /** @throws LibraryException 90000 if the token is not a JSON object, or if one of these members is not a text */
    public TokenNames(String token) throws LibraryException {
        try {
            JsonObject members = JsonParser.object(token);
            bankId = members.text("IdBEL");
            uniqueId = members.text("IdPorteur");
            transactionId = members.text("IdTransaction");
        } catch (JsonException error) {
            throw new LibraryException(
                LibraryCode.INVALID_INPUT, "the token must be a JSON object, and its names must be texts");
        }
    }
}
