package cardcompanion.backend;

import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The fields Signature-Input and Signature, with exactly one signature. Only the canonical form is read, as the server writes it. So
 * nothing can be understood in two ways.
 */
final class SignatureInput {
    private static final int LENGTH_LIMIT = 2048;
    private static final Set<String> NUMBERS = Set.of("created", "expires");
    private static final Set<String> TEXTS = Set.of("nonce", "keyid", "alg", "tag");
    private static final Pattern COMPONENT = Pattern.compile("\"([@a-z0-9!#$%&'*+.^_`|~-]+)\"");
    private static final Pattern PARAMETER = Pattern.compile(";([a-z]+)=(?:\"([ !#-\\[\\]-~]*)\"|([0-9]{1,15}))");
    private static final Pattern FORM = Pattern.compile(
        "([a-z*][a-z0-9_.*-]*)=(\\(((?:" + COMPONENT + "(?: (?=\")|(?=\\))))*)\\)((?:" + PARAMETER + ")*))");
    private static final Pattern SIGNATURE = Pattern.compile("([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]+={0,2}):");

    /** The names of the covered components, in their order. */
    final List<String> components = new ArrayList<>();
    /** The list and the parameters as they were sent. */
    final String parameters;
    final byte[] signature;
    private final Map<String, String> values = new HashMap<>();

    SignatureInput(String inputField, String signatureField) throws SignatureRefusedException {
        Matcher input = match(FORM, inputField, "Signature-Input does not have one signature in canonical form");
        Matcher bytes = match(SIGNATURE, signatureField, "Signature does not have one signature in canonical form");
        if (!input.group(1).equals(bytes.group(1))) throw new SignatureRefusedException("Signature has another label");
        parameters = input.group(2);
        signature = decoded(bytes.group(2));
        readComponents(input.group(3));
        // Behind the list: its names can have no parenthesis.
        readParameters(parameters.substring(parameters.indexOf(')') + 1));
    }

    /** The time in Unix seconds; null if it is not there. */
    Long number(String name) {
        return values.containsKey(name) ? Long.valueOf(values.get(name)) : null;
    }

    /** Null if it is not there. */
    String text(String name) {
        return values.get(name);
    }

    private void readComponents(String list) throws SignatureRefusedException {
        Matcher component = COMPONENT.matcher(list);
        while (component.find()) {
            if (components.contains(component.group(1))) throw new SignatureRefusedException("a component is covered twice");
            components.add(component.group(1));
        }
    }

    private void readParameters(String text) throws SignatureRefusedException {
        Matcher parameter = PARAMETER.matcher(text);
        while (parameter.find()) {
            String name = parameter.group(1);
            boolean isRight = parameter.group(2) != null ? TEXTS.contains(name) : NUMBERS.contains(name);
            if (!isRight) throw new SignatureRefusedException("the signature has an unknown parameter, or one of a wrong type");
            String value = parameter.group(2) != null ? parameter.group(2) : parameter.group(3);
            if (values.put(name, value) != null) throw new SignatureRefusedException("a parameter is there twice");
        }
    }

    private static Matcher match(Pattern form, String text, String problem) throws SignatureRefusedException {
        Matcher matcher = form.matcher(text);
        if (text.length() > LENGTH_LIMIT || !matcher.matches()) throw new SignatureRefusedException(problem);
        return matcher;
    }

    private static byte[] decoded(String base64) throws SignatureRefusedException {
        try {
            byte[] bytes = Base64.getDecoder().decode(base64);
            if (Base64.getEncoder().encodeToString(bytes).equals(base64)) return bytes;
        } catch (IllegalArgumentException error) {
            // It is not base64.
        }
        throw new SignatureRefusedException("the signature is not in base64");
    }
}
