package cardcompanion.sdk.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The members of a JSON object, by name and type. A member that is null counts as absent. */
public final class JsonObject {
    private final Map<String, Object> members;

    JsonObject(Map<String, Object> members) {
        this.members = members;
    }

    public Set<String> names() {
        return members.keySet();
    }

    public boolean has(String name) {
        return members.containsKey(name);
    }

    /** Null if absent. */
    public String text(String name) throws JsonException {
        return member(name, String.class, "a text");
    }

    public String requiredText(String name) throws JsonException {
        return required(name, text(name));
    }

    public int requiredInteger(String name) throws JsonException {
        return integer(required(name, member(name, Long.class, "an integer")), name);
    }

    /** Null if absent. */
    public JsonObject object(String name) throws JsonException {
        return member(name, JsonObject.class, "an object");
    }

    /** Null if absent. */
    public List<String> texts(String name) throws JsonException {
        return items(name, String.class, false);
    }

    /** Null if absent. An item that is null stays null. */
    public List<String> textsOrNulls(String name) throws JsonException {
        return items(name, String.class, true);
    }

    /** Null if absent. */
    public List<JsonObject> objects(String name) throws JsonException {
        return items(name, JsonObject.class, false);
    }

    /** Null if absent. */
    public List<Integer> integers(String name) throws JsonException {
        List<Long> items = items(name, Long.class, false);
        if (items == null) return null;
        List<Integer> integers = new ArrayList<>();
        for (Long item : items) integers.add(integer(item, name));
        return integers;
    }

    private static int integer(long value, String name) throws JsonException {
        if (value != (int) value) throw new JsonException(name + " is too large");
        return (int) value;
    }

    private static <T> T required(String name, T value) throws JsonException {
        if (value == null) throw new JsonException(name + " is missing");
        return value;
    }

    private <T> T member(String name, Class<T> type, String what) throws JsonException {
        Object value = members.get(name);
        if (value != null && !type.isInstance(value)) throw new JsonException(name + " is not " + what);
        return type.cast(value);
    }

    private <T> List<T> items(String name, Class<T> type, boolean allowsNull) throws JsonException {
        List<?> list = member(name, List.class, "a list");
        if (list == null) return null;
        List<T> items = new ArrayList<>();
        for (Object item : list) {
            boolean isRight = item == null ? allowsNull : type.isInstance(item);
            if (!isRight) throw new JsonException(name + " has an item of another type");
            items.add(type.cast(item));
        }
        return items;
    }
}
