package cardcompanion.tests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Test;

/**
 * The library uses only members of the Java API that Android 8 (API level 26) has: those listed in
 * Tests/Clients/AndroidTests/android-26-members.txt.
 */
public class AndroidApiTest {
    private static final String LIST = "Tests/Clients/AndroidTests/android-26-members.txt";

    @Test
    public void onlyMembersThatAndroid8HasAreUsed() throws Exception {
        Set<String> used = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Paths.get(System.getProperty("cardcompanion.classes")))) {
            for (Path file : files.filter(path -> path.toString().endsWith(".class")).collect(Collectors.toList())) {
                used.addAll(new ClassFile(file).javaMembers());
            }
        }
        assertTrue("the class files were read", used.size() > 50);
        List<String> listed = new ArrayList<>();
        for (String line : Files.readAllLines(Vectors.projectFile(LIST), StandardCharsets.UTF_8)) {
            if (!line.isEmpty() && !line.startsWith("#")) listed.add(line);
        }
        Set<String> missing = new TreeSet<>(used);
        missing.removeAll(listed);
        if (!missing.isEmpty()) {
            fail(
                "The library uses members that are not in " + LIST + ". Look each up in the reference of Android's "
                    + "API: \"Added in API level\" must be 26 or less for the member itself. Then add its line:\n"
                    + String.join("\n", missing));
        }
        Set<String> unused = new TreeSet<>(listed);
        unused.removeAll(used);
        assertEquals("lines of members that are not used any more", new TreeSet<String>(), unused);
        assertEquals("the list is sorted, and has each member once", new ArrayList<>(new TreeSet<>(listed)), listed);
    }

    /** The constants of a class file (JVM specification, section 4.4) that name members of other classes. */
    private static final class ClassFile {
        private final Object[] constants;

        ClassFile(Path file) throws IOException {
            try (InputStream stream = Files.newInputStream(file); DataInputStream data = new DataInputStream(stream)) {
                assertEquals(0xCAFEBABE, data.readInt());
                data.readInt();
                constants = new Object[data.readUnsignedShort()];
                for (int index = 1; index < constants.length; index++) index += read(data, index);
            }
        }

        /** Reads a constant, and returns how many places it takes beside its own. */
        private int read(DataInputStream data, int index) throws IOException {
            int tag = data.readUnsignedByte();
            switch (tag) {
                case 1: constants[index] = data.readUTF(); return 0;
                case 3: case 4: data.readInt(); return 0;
                case 5: case 6: data.readLong(); return 1;
                case 7: constants[index] = new int[] {tag, data.readUnsignedShort()}; return 0;
                case 8: case 16: data.readUnsignedShort(); return 0;
                case 9: case 10: case 11: case 12: case 17: case 18:
                    constants[index] = new int[] {tag, data.readUnsignedShort(), data.readUnsignedShort()};
                    return 0;
                case 15: data.readUnsignedByte(); data.readUnsignedShort(); return 0;
                default: throw new IOException("constant with tag " + tag);
            }
        }

        /** Classes as "java/util/List", and their members as "java/util/List.size()I". */
        Set<String> javaMembers() {
            Set<String> members = new TreeSet<>();
            for (Object constant : constants) {
                if (!(constant instanceof int[])) continue;
                int[] parts = (int[]) constant;
                if (parts[0] == 7) members.add(text(parts[1]));
                if (parts[0] < 9 || parts[0] > 11) continue;
                int[] nameAndType = (int[]) constants[parts[2]];
                String owner = text(((int[]) constants[parts[1]])[1]);
                String separator = parts[0] == 9 ? ":" : "";
                members.add(owner + "." + text(nameAndType[1]) + separator + text(nameAndType[2]));
            }
            members.removeIf(member -> member.startsWith("cardcompanion/") || member.startsWith("["));
            return members;
        }

        private String text(int index) {
            return (String) constants[index];
        }
    }
}
