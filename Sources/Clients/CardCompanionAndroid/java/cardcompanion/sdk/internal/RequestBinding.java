package cardcompanion.sdk.internal;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The request that a value is sealed for. The value's header names it, so that no one who sees the value on its way
 * can use it for another cardholder, or a second time.
 */
public final class RequestBinding {
    /** What is sealed. */
    public enum Content {
        PIN("pin"), INDEXES("indexes");

        final String name;

        Content(String name) {
            this.name = name;
        }
    }

    public final Content content;
    /** Null if the token does not name it, as the next two. */
    public final String bankId;
    public final String uniqueId;
    /** The IdTransaction; the timestamp of a request with an HMAC. */
    public final String requestId;
    /** The keypad that indexes refer to, or null. */
    public final String keypadId;

    public RequestBinding(Content content, String bankId, String uniqueId, String requestId, String keypadId) {
        this.content = content;
        this.bankId = bankId;
        this.uniqueId = uniqueId;
        this.requestId = requestId;
        this.keypadId = keypadId;
    }

    public Map<String, String> headerParameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("cty", content.name);
        parameters.put("iss", bankId);
        parameters.put("sub", uniqueId);
        parameters.put("jti", requestId);
        parameters.put("keypadId", keypadId);
        return parameters;
    }
}
