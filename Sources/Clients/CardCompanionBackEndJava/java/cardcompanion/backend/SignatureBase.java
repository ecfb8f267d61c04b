package cardcompanion.backend;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The bytes that are signed (RFC 9421 section 2.5). */
final class SignatureBase {
    private SignatureBase() {}

    /**
     * @param components names and values, in their order
     * @param parameters the list of components and the parameters, as in Signature-Input
     */
    static byte[] of(Map<String, String> components, String parameters) {
        StringBuilder base = new StringBuilder();
        components.forEach((name, value) -> base.append('"').append(name).append("\": ").append(value).append('\n'));
        return base.append("\"@signature-params\": ").append(parameters).toString().getBytes(StandardCharsets.US_ASCII);
    }
}
