package cardcompanion.backend;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The derived components of a request (RFC 9421 section 2.2): method, server, path, and query if there is one. */
final class RequestParts {
    private RequestParts() {}

    /** @throws IllegalArgumentException if the method or the URL cannot be signed */
    static Map<String, String> of(String method, URI url) {
        if (!method.matches("[A-Z]{1,32}")) throw new IllegalArgumentException("the method must be in capital letters");
        String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        boolean isHttp = scheme.equals("https") || scheme.equals("http");
        if (!isHttp || url.getHost() == null || url.getRawUserInfo() != null || url.getRawFragment() != null) {
            throw new IllegalArgumentException("the URL must be a whole one, without user name and fragment: " + url);
        }
        boolean isDefaultPort = url.getPort() == -1 || url.getPort() == (scheme.equals("https") ? 443 : 80);
        Map<String, String> parts = new LinkedHashMap<>();
        parts.put("@method", method);
        parts.put("@authority", url.getHost().toLowerCase(Locale.ROOT) + (isDefaultPort ? "" : ":" + url.getPort()));
        parts.put("@path", url.getRawPath().isEmpty() ? "/" : url.getRawPath());
        if (url.getRawQuery() != null) parts.put("@query", "?" + url.getRawQuery());
        for (String part : parts.values()) {
            if (!isPrintable(part)) throw new IllegalArgumentException("the URL must be percent-encoded: " + url);
        }
        return parts;
    }

    /** Whether the text can be in a signature base. */
    static boolean isPrintable(String text) {
        return text.chars().allMatch(character -> character >= ' ' && character <= '~');
    }
}
