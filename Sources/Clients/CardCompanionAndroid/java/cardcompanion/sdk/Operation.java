package cardcompanion.sdk;

import cardcompanion.sdk.internal.LibraryException;
import cardcompanion.sdk.internal.Outcome;
import cardcompanion.sdk.internal.Texts;
import java.util.function.Function;

/** What an operation does. Whatever happens in it becomes the code of its response: operations do not throw. */
interface Operation<R> {
    R run() throws LibraryException;

    /** Runs an operation and returns its response, or one with the code and message of its error. */
    static <R> R run(Operation<R> operation, Function<Outcome, R> failure) {
        try {
            return operation.run();
        } catch (LibraryException error) {
            return failure.apply(Outcome.of(error));
        } catch (RuntimeException error) {
            // Not its message, which could quote what was being processed.
            String detail = "unexpected " + error.getClass().getSimpleName();
            return failure.apply(Outcome.of(new LibraryException(LibraryCode.REQUEST_FAILED, detail)));
        }
    }

    /** 90000 if one of the parameters is missing. They are names and values in turn. */
    static void require(CharSequence... namesAndValues) throws LibraryException {
        for (int index = 0; index < namesAndValues.length; index += 2) {
            CharSequence value = namesAndValues[index + 1];
            boolean isText = value != null && value.length() > 0
                && (!(value instanceof String) || Texts.isWellFormed((String) value));
            if (!isText) {
                throw new LibraryException(
                    LibraryCode.INVALID_INPUT, namesAndValues[index] + " must be a text and not empty");
            }
        }
    }

    /** 90000 if the parameters themselves are missing. */
    static void requireParameters(Object parameters) throws LibraryException {
        if (parameters == null) throw new LibraryException(LibraryCode.INVALID_INPUT, "parameters is null");
    }
}
