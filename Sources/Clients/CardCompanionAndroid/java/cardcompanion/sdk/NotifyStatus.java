package cardcompanion.sdk;

/** The outcome of a delivery, as the app reports it (SDK document, table 2). */
public enum NotifyStatus {
    /** 0: the app showed the PIN. This confirms the delivery. */
    SUCCESS(0),
    /** 1: the app could not use the server's answer. */
    SERVER_ERROR(1),
    /** 2: the app could not show the PIN. */
    APP_ERROR(2);

    /** The number that is sent. */
    public final int value;

    NotifyStatus(int value) {
        this.value = value;
    }

    /**
     * The number that is sent.
     *
     * @return 0, 1 or 2
     */
    public int getValue() {
        return value;
    }
}
