package cardcompanion.sdk;

import static org.junit.Assert.assertEquals;

import cardcompanion.tests.Vectors;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Test;

/** The codes have the names, numbers and messages that they have in the server's module CardCompanionAPI. */
public class CodeTablesTest {
    private static String source(String name) throws Exception {
        byte[] bytes = Files.readAllBytes(Vectors.projectFile("Sources/Server/CardCompanionAPI/" + name + ".swift"));
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static Map<String, Integer> cases(String name) throws Exception {
        Map<String, Integer> cases = new TreeMap<>();
        Matcher matcher = Pattern.compile("case (\\w+) = (\\d+)").matcher(source(name));
        while (matcher.find()) cases.put(constant(matcher.group(1)), Integer.valueOf(matcher.group(2)));
        return cases;
    }

    /** missingRSAPublicKey is MISSING_RSA_PUBLIC_KEY in Java. */
    private static String constant(String name) {
        return name.replaceAll("([a-z0-9])([A-Z])", "$1_$2").replaceAll("([A-Z]+)([A-Z][a-z])", "$1_$2")
            .toUpperCase(Locale.ROOT);
    }

    private static void assertSame(Class<?> codes, int count) throws Exception {
        Map<String, Integer> constants = new TreeMap<>();
        for (Field field : codes.getFields()) {
            if (Modifier.isStatic(field.getModifiers())) constants.put(field.getName(), field.getInt(null));
        }
        assertEquals(cases(codes.getSimpleName()), constants);
        assertEquals(count, constants.size());
    }

    @Test
    public void distributionCodes() throws Exception {
        assertSame(DistributionCode.class, 38);
    }

    @Test
    public void definitionCodes() throws Exception {
        assertSame(DefinitionCode.class, 29);
    }

    @Test
    public void libraryCodesAndTheirMessages() throws Exception {
        assertSame(LibraryCode.class, 16);
        int count = 0;
        Matcher matcher = Pattern.compile("case \\.(\\w+): \"([^\"]*)\"").matcher(source("LibraryCode"));
        while (matcher.find()) {
            count++;
            int code = LibraryCode.class.getField(constant(matcher.group(1))).getInt(null);
            assertEquals(matcher.group(2), LibraryCode.message(code));
        }
        assertEquals(16, count);
    }

    @Test
    public void notifyStatus() throws Exception {
        Map<String, Integer> values = new TreeMap<>();
        for (NotifyStatus status : NotifyStatus.values()) values.put(status.name(), status.getValue());
        assertEquals(cases("NotifyStatus"), values);
        assertEquals(3, values.size());
    }
}
