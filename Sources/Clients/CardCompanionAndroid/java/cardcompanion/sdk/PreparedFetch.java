package cardcompanion.sdk;

import cardcompanion.sdk.internal.Algorithm;
import cardcompanion.sdk.internal.LibraryException;
import cardcompanion.sdk.internal.Outcome;
import cardcompanion.sdk.internal.RecipientKey;

/**
 * The key of one fetch, made before it, so that the bank's back-end can bind its proof to it: send {@link
 * #getBinding()} to the back-end, which puts it into the hashMac or into the token. Then no one who alters the
 * request on its way can put another key in it. The fetch can be repeated if its answer was lost.
 */
public final class PreparedFetch extends SDKResponse {
    private final String binding;
    /** Null if it could not be generated. */
    private final RecipientKey key;

    private PreparedFetch(Outcome outcome, RecipientKey key) {
        super(outcome);
        this.key = key;
        binding = key == null ? null : key.binding();
    }

    static PreparedFetch generate(Algorithm algorithm) {
        try {
            return new PreparedFetch(Outcome.success(), RecipientKey.generate(algorithm));
        } catch (LibraryException error) {
            return new PreparedFetch(Outcome.of(error), null);
        }
    }

    /**
     * What the bank's proof must contain: the SHA-256 of the public key (a DER SubjectPublicKeyInfo).
     *
     * @return 43 characters in base64url; null if no key could be generated (code 90004 or 90008)
     */
    public String getBinding() {
        return binding;
    }

    /** The key for a fetch. 90000 if it is one for the other kind of fetch. */
    RecipientKey keyFor(Algorithm algorithm) throws LibraryException {
        if (!isSuccess()) throw new LibraryException(errorCode, "the fetch could not be prepared");
        if (key.algorithm != algorithm) {
            throw new LibraryException(
                LibraryCode.INVALID_INPUT,
                "use prepareFetch with an authentication code, and prepareTokenFetch with a token");
        }
        return key;
    }
}
