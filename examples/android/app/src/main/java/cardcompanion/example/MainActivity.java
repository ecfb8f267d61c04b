package cardcompanion.example;

import android.app.Activity;
import android.graphics.Bitmap;
import android.graphics.BitmapFactory;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.text.Editable;
import android.text.InputType;
import android.view.View;
import android.view.WindowManager;
import android.widget.Button;
import android.widget.EditText;
import android.widget.GridLayout;
import android.widget.ImageView;
import android.widget.LinearLayout;
import android.widget.ScrollView;
import android.widget.TextView;
import cardcompanion.example.model.Bank;
import cardcompanion.example.model.PINModel;
import cardcompanion.example.model.SandboxBank;
import cardcompanion.example.model.Screen;
import cardcompanion.sdk.CardCompanionSession;
import cardcompanion.sdk.FileReceiptStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The app's only screen. What it does is in {@link PINModel}. */
public final class MainActivity extends Activity implements Screen {
    private static final int KEYPAD_COLUMNS = 3;
    private static final float PIN_TEXT_SIZE = 48;

    private final Handler main = new Handler(Looper.getMainLooper());
    private PINModel model;
    private EditText server;
    private EditText cardholder;
    private EditText code;
    private EditText newPIN;
    private LinearLayout pin;
    private GridLayout keypad;
    private TextView message;

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        // No screenshots, no recordings, and nothing in the list of recent apps.
        getWindow().addFlags(WindowManager.LayoutParams.FLAG_SECURE);
        CardCompanionSession.shared().setReceiptStore(new FileReceiptStore(getNoBackupFilesDir()));
        model = new PINModel(
            getApplicationContext(), this, main::post, (seconds, work) -> main.postDelayed(work, seconds * 1000L));
        setContentView(content());
    }

    @Override
    protected void onStop() {
        super.onStop();
        model.leave();
    }

    // The views.

    private View content() {
        LinearLayout column = new LinearLayout(this);
        column.setOrientation(LinearLayout.VERTICAL);
        int text = InputType.TYPE_CLASS_TEXT;
        server = input(column, R.string.server, text | InputType.TYPE_TEXT_VARIATION_URI, "http://127.0.0.1:8080");
        cardholder = input(column, R.string.cardholder, text | InputType.TYPE_TEXT_FLAG_NO_SUGGESTIONS, "alice");
        code = input(column, R.string.code, text | InputType.TYPE_TEXT_VARIATION_PASSWORD, "");
        button(
            column, R.string.show_by_code,
            () -> model.showByCode(url(), bank(), uniqueId(), code.getText().toString()));
        button(
            column, R.string.show_by_token,
            () -> model.showByToken(url(), bank(), uniqueId(), code.getText().toString()));
        int digits = InputType.TYPE_CLASS_NUMBER | InputType.TYPE_NUMBER_VARIATION_PASSWORD;
        newPIN = input(column, R.string.new_pin, digits, "");
        button(column, R.string.define, () -> model.defineByHMAC(url(), bank(), uniqueId(), takePIN()));
        button(column, R.string.define_by_token, () -> model.defineByToken(url(), bank(), uniqueId(), takePIN()));
        button(column, R.string.keypad, () -> model.showKeypad(url(), bank(), uniqueId()));
        message = new TextView(this);
        column.addView(message);
        pin = new LinearLayout(this);
        column.addView(pin);
        keypad = new GridLayout(this);
        keypad.setColumnCount(KEYPAD_COLUMNS);
        column.addView(keypad);
        ScrollView scroll = new ScrollView(this);
        scroll.setFitsSystemWindows(true);
        scroll.addView(column);
        return scroll;
    }

    private EditText input(LinearLayout column, int hint, int type, String text) {
        EditText input = new EditText(this);
        input.setHint(hint);
        input.setInputType(type);
        input.setText(text);
        // Android would keep what was typed when the app is stopped.
        input.setSaveEnabled(false);
        input.setImportantForAutofill(View.IMPORTANT_FOR_AUTOFILL_NO);
        column.addView(input);
        return input;
    }

    private void button(LinearLayout column, int text, Runnable action) {
        Button button = new Button(this);
        button.setText(text);
        // What is drawn over the app must not let the cardholder touch what is below it.
        button.setFilterTouchesWhenObscured(true);
        button.setOnClickListener(view -> action.run());
        column.addView(button);
    }

    private String url() {
        return server.getText().toString().trim();
    }

    private String uniqueId() {
        return cardholder.getText().toString().trim();
    }

    /** The PIN that was typed, which is removed from the screen. */
    private char[] takePIN() {
        Editable text = newPIN.getText();
        char[] digits = new char[text.length()];
        text.getChars(0, digits.length, digits, 0);
        text.clear();
        return digits;
    }

    // What the model shows.

    @Override
    public boolean showImages(List<byte[]> pngs) {
        List<Bitmap> bitmaps = new ArrayList<>();
        for (byte[] png : pngs) {
            Bitmap bitmap = BitmapFactory.decodeByteArray(png, 0, png.length);
            if (bitmap == null) return false;
            bitmaps.add(bitmap);
        }
        for (Bitmap bitmap : bitmaps) {
            ImageView image = new ImageView(this);
            image.setImageBitmap(bitmap);
            image.setAdjustViewBounds(true);
            image.setContentDescription(getString(R.string.pin_image));
            pin.addView(image, new LinearLayout.LayoutParams(0, LinearLayout.LayoutParams.WRAP_CONTENT, 1));
        }
        return true;
    }

    @Override
    public boolean showText(String digits) {
        TextView text = new TextView(this);
        text.setTextSize(PIN_TEXT_SIZE);
        text.setText(digits);
        pin.addView(text);
        return true;
    }

    @Override
    public void clear() {
        pin.removeAllViews();
        keypad.removeAllViews();
    }

    @Override
    public void showKeypad(List<String> digits) {
        for (int index = 0; index < digits.size(); index++) {
            int place = index;
            Button key = new Button(this);
            key.setText(digits.get(index));
            key.setFilterTouchesWhenObscured(true);
            if (digits.get(index).isEmpty()) key.setContentDescription(getString(R.string.empty_place));
            key.setOnClickListener(view -> model.touch(place));
            keypad.addView(key);
        }
        Button done = new Button(this);
        done.setText(R.string.done);
        done.setFilterTouchesWhenObscured(true);
        done.setOnClickListener(view -> model.defineOnKeypad(url(), bank(), uniqueId()));
        keypad.addView(done);
    }

    @Override
    public void showMessage(String text) {
        message.setText(text);
    }

    // The sandbox's bank.

    /** Its files are in the app's assets. A real app calls its bank's back-end. */
    private Bank bank() {
        return new SandboxBank(asset("bank.txt").trim(), asset("hmac.hex"), asset("signing-key.pem"));
    }

    private String asset(String name) {
        try (InputStream stream = getAssets().open(name)) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            byte[] chunk = new byte[4096];
            for (int count = stream.read(chunk); count >= 0; count = stream.read(chunk)) bytes.write(chunk, 0, count);
            return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
        } catch (IOException error) {
            throw new IllegalStateException("The file " + name + " is missing in app/src/debug/assets, see README.md.");
        }
    }
}
