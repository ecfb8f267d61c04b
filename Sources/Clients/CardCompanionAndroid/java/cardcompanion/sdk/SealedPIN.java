package cardcompanion.sdk;

import cardcompanion.sdk.internal.Algorithm;
import cardcompanion.sdk.internal.Base64Url;
import cardcompanion.sdk.internal.Digests;
import cardcompanion.sdk.internal.LibraryException;
import cardcompanion.sdk.internal.Outcome;
import cardcompanion.sdk.internal.RequestBinding;
import cardcompanion.sdk.internal.Texts;

/**
 * A PIN, or its indexes, encrypted to the server before the bank's back-end makes its proof, so that the proof can be
 * bound to it: send {@link #getBinding()} to the back-end, which puts it into the hashMac or into the token. Then no
 * one who alters the request on its way can put another PIN in it. {@link #errorCode} is a {@link LibraryCode} if
 * sealing failed.
 */
public final class SealedPIN extends SDKResponse {
    /** What the PIN was sealed for. */
    final RequestBinding request;
    final Algorithm algorithm;
    /** The compact JWE. Null if sealing failed. */
    final String compact;
    private final String binding;

    SealedPIN(Outcome outcome, RequestBinding request, Algorithm algorithm, String compact) {
        super(outcome);
        this.request = request;
        this.algorithm = algorithm;
        this.compact = compact;
        binding = compact == null ? null : Base64Url.encode(Digests.sha256(Texts.utf8(compact)));
    }

    /**
     * What the bank's proof must contain: the SHA-256 of the sealed value as it is sent.
     *
     * @return 43 characters in base64url; null if sealing failed
     */
    public String getBinding() {
        return binding;
    }

    /** The sealed value for an operation. 90000 if it was sealed for one of another kind, or sealing had failed. */
    String compactFor(RequestBinding.Content content, Algorithm algorithm) throws LibraryException {
        if (!isSuccess()) throw new LibraryException(errorCode, "the PIN was not sealed");
        if (request.content != content || this.algorithm != algorithm) {
            throw new LibraryException(
                LibraryCode.INVALID_INPUT, "the PIN was sealed for an operation of another kind");
        }
        return compact;
    }
}
