package cardcompanion.sdk.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A strict parser of JSON (RFC 8259): one object in well-formed UTF-8, no name twice in an object, no half of a
 * surrogate pair, and no more than {@value #MAXIMUM_DEPTH} levels. The caller limits the size.
 */
public final class JsonParser {
    static final int MAXIMUM_DEPTH = 16;

    private final String text;
    private int position;
    private int depth;

    private JsonParser(String text) {
        this.text = text;
    }

    public static JsonObject object(byte[] utf8) throws JsonException {
        String text = Texts.fromUtf8(utf8);
        if (text == null) throw new JsonException("the bytes are not UTF-8");
        return object(text);
    }

    public static JsonObject object(String text) throws JsonException {
        JsonParser parser = new JsonParser(text);
        parser.skipWhiteSpace();
        Object value = parser.value();
        parser.skipWhiteSpace();
        if (parser.position < text.length()) throw new JsonException("there is something behind the value");
        if (!(value instanceof JsonObject)) throw new JsonException("the value is not an object");
        return (JsonObject) value;
    }

    private Object value() throws JsonException {
        switch (peek()) {
            case '{': return object();
            case '[': return list();
            case '"': return string();
            case 't': return literal("true", Boolean.TRUE);
            case 'f': return literal("false", Boolean.FALSE);
            case 'n': return literal("null", null);
            default: return number();
        }
    }

    private JsonObject object() throws JsonException {
        Map<String, Object> members = new LinkedHashMap<>();
        enter();
        if (!take('}')) {
            do {
                skipWhiteSpace();
                String name = string();
                skipWhiteSpace();
                expect(':');
                skipWhiteSpace();
                if (members.containsKey(name)) throw new JsonException("a member's name is there twice");
                members.put(name, value());
                skipWhiteSpace();
            } while (take(','));
            expect('}');
        }
        depth--;
        return new JsonObject(members);
    }

    private List<Object> list() throws JsonException {
        List<Object> items = new ArrayList<>();
        enter();
        if (!take(']')) {
            do {
                skipWhiteSpace();
                items.add(value());
                skipWhiteSpace();
            } while (take(','));
            expect(']');
        }
        depth--;
        return items;
    }

    private void enter() throws JsonException {
        if (++depth > MAXIMUM_DEPTH) throw new JsonException("there are too many levels");
        position++;
        skipWhiteSpace();
    }

    private Object literal(String literal, Object value) throws JsonException {
        if (!text.startsWith(literal, position)) throw malformed();
        position += literal.length();
        return value;
    }

    /** A Long if it is written as an integer and is not too large, else a Double. */
    private Object number() throws JsonException {
        int start = position;
        take('-');
        if (!take('0')) digits();
        boolean isInteger = true;
        if (take('.')) {
            digits();
            isInteger = false;
        }
        if (take('e') || take('E')) {
            if (!take('+')) take('-');
            digits();
            isInteger = false;
        }
        String written = text.substring(start, position);
        try {
            if (isInteger) return Long.valueOf(written);
        } catch (NumberFormatException error) {
            // It is too large, which matters only if somebody asks for it.
        }
        return Double.valueOf(written);
    }

    private void digits() throws JsonException {
        int start = position;
        while (position < text.length() && text.charAt(position) >= '0' && text.charAt(position) <= '9') position++;
        if (position == start) throw malformed();
    }

    private String string() throws JsonException {
        expect('"');
        StringBuilder string = new StringBuilder();
        for (char next = next(); next != '"'; next = next()) {
            if (next < ' ') throw new JsonException("a text has a control character");
            string.append(next == '\\' ? escaped() : next);
        }
        String result = string.toString();
        if (!Texts.isWellFormed(result)) throw new JsonException("a text has half of a surrogate pair");
        return result;
    }

    private char escaped() throws JsonException {
        char escape = next();
        switch (escape) {
            case '"': case '\\': case '/': return escape;
            case 'b': return '\b';
            case 'f': return '\f';
            case 'n': return '\n';
            case 'r': return '\r';
            case 't': return '\t';
            case 'u': return (char) (hex() << 12 | hex() << 8 | hex() << 4 | hex());
            default: throw malformed();
        }
    }

    private int hex() throws JsonException {
        int digit = Hex.digit(next());
        if (digit < 0) throw malformed();
        return digit;
    }

    private void skipWhiteSpace() {
        while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) position++;
    }

    private boolean take(char wanted) {
        if (position >= text.length() || text.charAt(position) != wanted) return false;
        position++;
        return true;
    }

    private void expect(char wanted) throws JsonException {
        if (!take(wanted)) throw malformed();
    }

    private char peek() throws JsonException {
        if (position >= text.length()) throw malformed();
        return text.charAt(position);
    }

    private char next() throws JsonException {
        char next = peek();
        position++;
        return next;
    }

    private static JsonException malformed() {
        return new JsonException("the text is not well-formed JSON");
    }
}
