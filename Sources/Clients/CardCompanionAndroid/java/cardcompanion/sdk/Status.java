package cardcompanion.sdk;

import java.util.Arrays;

/** The status of a notify, in the forms that apps pass. */
final class Status {
    private Status() {}

    /** The number of a text such as "0"; -1 if it is another text, which the operation refuses. */
    static int of(String text) {
        return Arrays.asList("0", "1", "2").indexOf(text);
    }

    static int of(NotifyStatus status) {
        return status == null ? -1 : status.value;
    }

    static boolean isRight(int status) {
        return status >= 0 && status <= NotifyStatus.APP_ERROR.value;
    }
}
