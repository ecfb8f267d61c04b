package cardcompanion.sdk;

/** What holds a secret: a log of it shows only the class's name. */
abstract class Redacted {
    @Override
    public final String toString() {
        return getClass().getSimpleName() + "(redacted)";
    }
}
