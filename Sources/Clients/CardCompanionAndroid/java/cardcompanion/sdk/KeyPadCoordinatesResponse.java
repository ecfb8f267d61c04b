package cardcompanion.sdk;

import cardcompanion.sdk.internal.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A keypad, or the code of an error (SDK document, section 4.5.1). {@link #errorCode} is a {@link DefinitionCode}. */
public final class KeyPadCoordinatesResponse extends SDKResponse {
    /** The digit at each place, from "0" to "9"; an empty text if the place is empty. Empty on an error. */
    public final List<String> keypad;

    /** The keypad's identifier, for {@link DefinitionTokenParameters#withKeypadId}. Null on an error. */
    public final String keypadId;

    KeyPadCoordinatesResponse(Outcome outcome, List<String> digitsOrNulls, String keypadId) {
        super(outcome);
        List<String> places = new ArrayList<>();
        for (String digit : digitsOrNulls) places.add(digit == null ? "" : digit);
        keypad = Collections.unmodifiableList(places);
        this.keypadId = keypadId;
    }

    /**
     * See {@link #keypad}.
     *
     * @return the digit at each place
     */
    public List<String> getKeypad() {
        return keypad;
    }

    /**
     * See {@link #keypadId}.
     *
     * @return the keypad's identifier, or null
     */
    public String getKeypadId() {
        return keypadId;
    }
}
