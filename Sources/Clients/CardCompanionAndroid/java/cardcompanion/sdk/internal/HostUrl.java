package cardcompanion.sdk.internal;

import cardcompanion.sdk.LibraryCode;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/** The server's base URL from the app. It must be HTTPS. Plain HTTP is for this machine, or if the app allows it. */
public final class HostUrl {
    private static final int MAXIMUM_PORT = 65535;

    private final String base;

    /**
     * @throws LibraryException 90000 if the text has another form than scheme://host[:port][/path], or may not be
     *     used
     */
    public HostUrl(String text, boolean allowsPlainHTTP) throws LibraryException {
        URI uri = parsed(text);
        String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
        boolean isPlainAllowed = allowsPlainHTTP || isLoopback(uri.getHost().toLowerCase(Locale.ROOT));
        if (!scheme.equals("https") && !(scheme.equals("http") && isPlainAllowed)) {
            throw new LibraryException(LibraryCode.INVALID_INPUT, "hostUrl must start with https://");
        }
        String path = uri.getRawPath();
        base = scheme + "://" + uri.getRawAuthority() + path.replaceFirst("/$", "");
    }

    private static URI parsed(String text) throws LibraryException {
        try {
            URI uri = new URI(text == null ? "" : text);
            boolean isRight = uri.getScheme() != null && uri.getHost() != null && uri.getRawUserInfo() == null
                && uri.getRawQuery() == null && uri.getRawFragment() == null
                && uri.getPort() != 0 && uri.getPort() <= MAXIMUM_PORT;
            if (isRight) return uri;
        } catch (URISyntaxException error) {
            // Its message would quote the text.
        }
        throw new LibraryException(
            LibraryCode.INVALID_INPUT, "hostUrl must have the form https://host[:port][/path]");
    }

    /** The URL of a path that begins with a slash. */
    public String url(String path) {
        return base + path;
    }

    private static boolean isLoopback(String host) {
        if (host.equals("localhost") || host.equals("[::1]")) return true;
        return host.matches("127\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}");
    }
}
