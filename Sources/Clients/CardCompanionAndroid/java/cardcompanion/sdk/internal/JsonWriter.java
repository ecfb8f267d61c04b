package cardcompanion.sdk.internal;

import java.util.Map;

/** Writes texts, integers, lists and objects as JSON. Members that are null are left out. */
public final class JsonWriter {
    private final StringBuilder json = new StringBuilder();

    private JsonWriter() {}

    public static String write(Map<String, ?> members) {
        JsonWriter writer = new JsonWriter();
        writer.object(members);
        return writer.json.toString();
    }

    private void object(Map<?, ?> members) {
        String separator = "{";
        for (Map.Entry<?, ?> member : members.entrySet()) {
            if (member.getValue() == null) continue;
            json.append(separator);
            string((String) member.getKey());
            json.append(':');
            value(member.getValue());
            separator = ",";
        }
        json.append(separator.equals("{") ? "{}" : "}");
    }

    private void value(Object value) {
        if (value instanceof String) {
            string((String) value);
        } else if (value instanceof Integer) {
            json.append(value);
        } else if (value instanceof Map) {
            object((Map<?, ?>) value);
        } else if (value instanceof Iterable) {
            list((Iterable<?>) value);
        } else {
            throw new IllegalArgumentException("a value of this type is not written");
        }
    }

    private void list(Iterable<?> items) {
        String separator = "[";
        for (Object item : items) {
            json.append(separator);
            value(item);
            separator = ",";
        }
        json.append(separator.equals("[") ? "[]" : "]");
    }

    private void string(String text) {
        json.append('"');
        for (int index = 0; index < text.length(); index++) {
            char character = text.charAt(index);
            if (character == '"' || character == '\\') {
                json.append('\\').append(character);
            } else if (character < ' ') {
                json.append("\\u00").append(Hex.encode(new byte[] {(byte) character}));
            } else {
                json.append(character);
            }
        }
        json.append('"');
    }
}
