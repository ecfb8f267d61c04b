package cardcompanion.sdk;

import cardcompanion.sdk.internal.NotifyKeys;
import cardcompanion.sdk.internal.NotifyReceipt;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Receipts in a file of the app's own. Each line is the Unix time in seconds and a receipt. Those of more than 24
 * hours ago are not used any more, and there are at most 64: a server judges no session that is older.
 *
 * <pre>CardCompanionSession.shared().setReceiptStore(new FileReceiptStore(context.getNoBackupFilesDir()));</pre>
 *
 * <p>Use it in one process of the app only.
 */
public final class FileReceiptStore implements ReceiptStore {
    private static final String NAME = "card-companion-receipts";
    /** Of all objects, because an app may make one with each of its screens. */
    private static final Object LOCK = new Object();

    private final Path file;

    /**
     * Keeps receipts in a folder. It is made if it is missing.
     *
     * @param folder a folder that only the app can read and that is not backed up: {@code
     *     context.getNoBackupFilesDir()}
     */
    public FileReceiptStore(File folder) {
        file = folder.toPath().resolve(NAME);
    }

    @Override
    public void put(String sessionId, String receipt) {
        synchronized (LOCK) {
            Map<String, String> lines = read();
            lines.remove(sessionId);
            lines.put(sessionId, now() + " " + receipt);
            while (lines.size() > NotifyKeys.MAXIMUM_COUNT) lines.remove(lines.keySet().iterator().next());
            write(lines);
        }
    }

    @Override
    public String get(String sessionId) {
        synchronized (LOCK) {
            String line = read().get(sessionId);
            return line == null ? null : receipt(line);
        }
    }

    @Override
    public void remove(String sessionId) {
        synchronized (LOCK) {
            Map<String, String> lines = read();
            if (lines.remove(sessionId) != null) write(lines);
        }
    }

    /** The lines that are receipts and not too old, by session. A file that cannot be read has none. */
    private Map<String, String> read() {
        Map<String, String> lines = new LinkedHashMap<>();
        for (String line : allLines()) {
            NotifyReceipt receipt = NotifyReceipt.parse(receipt(line));
            if (receipt != null && isRecent(line)) lines.put(receipt.sessionId, line);
        }
        return lines;
    }

    private List<String> allLines() {
        try {
            return Files.readAllLines(file, StandardCharsets.US_ASCII);
        } catch (IOException error) {
            return new ArrayList<>();
        }
    }

    private static String receipt(String line) {
        return line.substring(line.indexOf(' ') + 1);
    }

    private static boolean isRecent(String line) {
        try {
            long time = Long.parseLong(line.substring(0, Math.max(0, line.indexOf(' '))));
            return time > now() - NotifyKeys.LIFETIME_SECONDS;
        } catch (NumberFormatException error) {
            return false;
        }
    }

    private static long now() {
        return System.currentTimeMillis() / 1000;
    }

    /** Replaces the file in one step, so that it is whole also if the app is stopped meanwhile. */
    private void write(Map<String, String> lines) {
        try {
            if (lines.isEmpty()) {
                Files.deleteIfExists(file);
                return;
            }
            Files.createDirectories(file.getParent());
            Path written = file.resolveSibling(NAME + ".new");
            Files.write(written, lines.values(), StandardCharsets.US_ASCII);
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException error) {
            throw new IllegalStateException("the receipts could not be written");
        }
    }
}
