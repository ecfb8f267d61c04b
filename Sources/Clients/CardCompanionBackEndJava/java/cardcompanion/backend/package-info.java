/**
 * For a bank's back-end: signs its calls to Card Companion, and verifies the server's webhooks and answers (RFC 9421).
 *
 * <p>{@link cardcompanion.backend.RequestSigner} signs, {@link cardcompanion.backend.SignatureVerifier} verifies with the keys that
 * {@link cardcompanion.backend.ServerKeys} fetches. All objects can be used by several threads.
 */
package cardcompanion.backend;
