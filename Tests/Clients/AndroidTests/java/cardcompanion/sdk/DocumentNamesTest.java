package cardcompanion.sdk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

/** All names that the SDK document has for Android are there, with its types and orders. */
public class DocumentNamesTest {
    /**
     * Sections 4.1.1 to 4.5.1: class, function, type of the parameters, type of the result in the table and in the
     * sample.
     */
    private static final String[][] OPERATIONS = {
        {"PINDistribution", "postGetPINCaptchaRequest", "ProvisioningParameters", "ProvisioningResponse",
            "ProvisioningResponse"},
        {"PINDistribution", "postNotifyRequest", "NotifyParameters", "NotifyResponse", "NotifyResponse"},
        {"PINDistribution", "postGetPINCaptchaTokenRequest", "TokenProvisioningParameters", "ProvisioningResponse",
            "GetPINTokenResponse"},
        {"PINDistribution", "postNotifyTokenRequest", "TokenNotifyParameters", "TokenNotifyResponse",
            "TokenNotifyResponse"},
        {"PINDefinition", "postDefinePINRequest", "DefinitionParameters", "DefinitionResponse", "DefinitionResponse"},
        {"PINDefinition", "postDefinePINECDHRequest", "DefinitionTokenParameters", "DefinitionResponse",
            "GetPINTokenResponse"},
        {"PINDefinition", "postGetKeyPadCoordinatesRequest", "KeyPadCoordinatesParameters",
            "KeyPadCoordinatesResponse", "KeyPadCoordinatesResponse"},
        {"PINDefinition", "postDefinePINECDHCBRequest", "DefinitionTokenParameters", "DefinitionResponse",
            "DefinitionResponse"},
    };

    /** Section 5.7: class, function, and the one that replaces it. */
    private static final String[][] DEPRECATED = {
        {"ProvisioningRequest", "postDataForGetPin", "PINDistribution", "postGetPINCaptchaRequest"},
        {"GetPinToken", "getPinTokenCaptcha", "PINDistribution", "postGetPINCaptchaTokenRequest"},
        {"NotifyRequest", "postDataForNotifyRequest", "PINDistribution", "postNotifyRequest"},
        {"TokenNotifyRequest", "notifyPinToken", "PINDistribution", "postNotifyTokenRequest"},
        {"DefinitionRequest", "definePin", "PINDefinition", "postDefinePINRequest"},
        {"DefinitionTokenRequest", "definePinToken", "PINDefinition", "postDefinePINECDHRequest"},
        {"DefinitionTokenRequest", "getKeyPadCoordinates", "PINDefinition", "postGetKeyPadCoordinatesRequest"},
        {"DefinitionTokenRequest", "definePinTokenCB", "PINDefinition", "postDefinePINECDHCBRequest"},
    };

    /** The constructors of the samples: class, and the types of its parameters. */
    private static final Object[][] CONSTRUCTORS = {
        {ProvisioningParameters.class, String.class, String.class, String.class, String.class, String.class},
        {NotifyParameters.class, String.class, String.class, String.class, String.class},
        {NotifyParameters.class, String.class, String.class, String.class, int.class},
        {NotifyParameters.class, String.class, String.class, String.class, NotifyStatus.class},
        {TokenProvisioningParameters.class, String.class, String.class},
        {TokenNotifyParameters.class, String.class, String.class, String.class},
        {TokenNotifyParameters.class, String.class, String.class, int.class},
        {TokenNotifyParameters.class, String.class, String.class, NotifyStatus.class},
        {DefinitionParameters.class, String.class, String.class, String.class, String.class, String.class},
        {DefinitionTokenParameters.class, String.class, String.class, String.class},
        {KeyPadCoordinatesParameters.class, String.class, String.class, int.class},
    };

    /** The attributes of the parameters: each is a field, in the order of the constructor. */
    private static final String[][] ATTRIBUTES = {
        {"ProvisioningParameters", "bankId", "uniqueId", "authCode", "timestamp", "hashMac"},
        {"NotifyParameters", "sessionId", "bankId", "uniqueId", "status"},
        {"TokenProvisioningParameters", "token", "signature"},
        {"TokenNotifyParameters", "token", "sessionId", "status"},
        {"DefinitionParameters", "bankId", "uniqueId", "timestamp", "hashMac", "pin"},
        // The table calls it pin or indexes: one constructor takes both.
        {"DefinitionTokenParameters", "token", "signature", "pinOrIndexes"},
        {"KeyPadCoordinatesParameters", "bankId", "uniqueId", "keypadSize"},
    };

    /** The attributes of the responses, as the samples read them: public fields, and functions beside them. */
    private static final String[][] RESULTS = {
        {"ProvisioningResponse", "errorCode", "pin", "sessionId", "freeField"},
        {"NotifyResponse", "errorCode", "errorMessage"},
        {"GetPINTokenResponse", "errorCode", "errorMessage", "pin", "sessionId", "freeField"},
        {"TokenNotifyResponse", "errorCode", "errorMessage"},
        {"DefinitionResponse", "errorCode", "errorMessage"},
        {"KeyPadCoordinatesResponse", "errorCode", "keypad", "errorMessage"},
    };

    private static final int[] DISTRIBUTION_CODES = {
        0, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 200, 201, 202, 203, 204, 205, 206,
        207, 208, 209, 210, 300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 312, 500,
    };
    private static final int[] DEFINITION_CODES = {
        100, 101, 107, 110, 111, 114, 115, 116, 117, 118, 120, 121, 130, 131, 140, 141, 200, 201, 206, 207, 208, 209,
        210, 211, 212, 213, 214, 300,
    };

    private static Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName("cardcompanion.sdk." + name);
    }

    private static Method function(String owner, String name, Class<?>... parameters) throws Exception {
        Method method = type(owner).getMethod(name, parameters);
        assertTrue(Modifier.isStatic(method.getModifiers()));
        assertEquals(name + " throws nothing", 0, method.getExceptionTypes().length);
        return method;
    }

    @Test
    public void operationsTakeBothOrders() throws Exception {
        for (String[] operation : OPERATIONS) {
            Class<?> parameters = type(operation[2]);
            Method sample = function(operation[0], operation[1], Object.class, parameters, String.class);
            Method table = function(operation[0], operation[1], parameters, String.class, Object.class);
            for (Method method : new Method[] {sample, table}) {
                assertTrue(operation[1], type(operation[3]).isAssignableFrom(method.getReturnType()));
                assertTrue(operation[1], type(operation[4]).isAssignableFrom(method.getReturnType()));
            }
        }
        assertEquals(8, OPERATIONS.length);
    }

    @Test
    public void deprecatedNamesTakeWhatTheirReplacementsTake() throws Exception {
        for (String[] names : DEPRECATED) {
            int count = 0;
            for (Method replacement : type(names[2]).getMethods()) {
                if (!replacement.getName().equals(names[3])) continue;
                count++;
                Method former = function(names[0], names[1], replacement.getParameterTypes());
                assertTrue(names[1], former.isAnnotationPresent(Deprecated.class));
                assertEquals(replacement.getReturnType(), former.getReturnType());
            }
            assertEquals(names[1], 2, count);
        }
        assertEquals(8, DEPRECATED.length);
    }

    @Test
    public void parametersAreMadeAsInTheSamples() throws Exception {
        for (Object[] wanted : CONSTRUCTORS) {
            Class<?>[] types = Arrays.copyOfRange(wanted, 1, wanted.length, Class[].class);
            Constructor<?> constructor = ((Class<?>) wanted[0]).getConstructor(types);
            assertEquals(0, constructor.getExceptionTypes().length);
        }
        for (String[] wanted : ATTRIBUTES) {
            List<String> fields = new ArrayList<>();
            for (Field field : type(wanted[0]).getDeclaredFields()) fields.add(field.getName());
            List<String> attributes = Arrays.asList(wanted).subList(1, wanted.length);
            assertEquals(wanted[0], attributes, fields.subList(0, attributes.size()));
        }
        assertEquals(7, ATTRIBUTES.length);
    }

    @Test
    public void responsesHaveFieldsAndFunctions() throws Exception {
        for (String[] wanted : RESULTS) {
            for (String name : Arrays.asList(wanted).subList(1, wanted.length)) {
                Field field = type(wanted[0]).getField(name);
                assertTrue(Modifier.isFinal(field.getModifiers()));
                String getter = "get" + name.substring(0, 1).toUpperCase() + name.substring(1);
                assertEquals(field.getType(), type(wanted[0]).getMethod(getter).getReturnType());
            }
        }
        assertEquals(List.class, KeyPadCoordinatesResponse.class.getField("keypad").getType());
    }

    @Test
    public void theHMACAndTheStatusAreThere() throws Exception {
        assertEquals(String.class, function("CryptoUtil", "computeHMAC", String.class, String.class).getReturnType());
        assertEquals("[SUCCESS, SERVER_ERROR, APP_ERROR]", Arrays.toString(NotifyStatus.values()));
        assertEquals(2, NotifyStatus.valueOf("APP_ERROR").value);
    }

    @Test
    public void allCodesOfTheTablesHaveNames() throws Exception {
        assertCodes(DistributionCode.class, DISTRIBUTION_CODES);
        assertCodes(DefinitionCode.class, DEFINITION_CODES);
        int[] library = new int[16];
        for (int index = 0; index < library.length; index++) library[index] = 90000 + index;
        assertCodes(LibraryCode.class, library);
        for (int code : library) assertTrue(LibraryCode.message(code).length() > 0);
    }

    private static void assertCodes(Class<?> codes, int[] wanted) throws Exception {
        List<Integer> found = new ArrayList<>();
        for (Field field : codes.getFields()) found.add(field.getInt(null));
        for (int code : wanted) assertTrue(codes.getSimpleName() + " " + code, found.contains(code));
    }
}
