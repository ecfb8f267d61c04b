package cardcompanion.sdk.internal;

/**
 * The protected header of a JWE (RFC 7516 section 4). A parameter that is known must have its type; crit and zip would
 * change how the value is processed, and are refused. Others are ignored, as RFC 7516 asks for.
 */
final class JweHeader {
    private static final String[] TEXTS = {"kid", "cty", "typ", "iss", "sub", "jti", "keypadId"};

    final String alg;
    final String enc;
    /** Null if absent, as the next two. */
    final Jwk epk;
    final String apu;
    final String apv;

    JweHeader(byte[] json) throws JsonException {
        JsonObject members = JsonParser.object(json);
        if (members.has("crit") || members.has("zip")) throw new JsonException("crit or zip is there");
        alg = members.requiredText("alg");
        enc = members.requiredText("enc");
        JsonObject key = members.object("epk");
        epk = key == null ? null : new Jwk(key);
        apu = members.text("apu");
        apv = members.text("apv");
        for (String name : TEXTS) members.text(name);
    }
}
