package cardcompanion.sdk;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How the app would like to get the PIN. The server grants what the bank allows, and ignores the rest. Hints do not
 * change; each {@code with} method returns others.
 */
public final class DisplayHints {
    /** No hints: the bank's usual images. */
    public static final DisplayHints NONE = new DisplayHints(null, null, null, null);

    /** How images are protected against programs that read them. */
    public enum Style {
        /** The usual images. */
        STANDARD,
        /** Harder for programs, and a little harder for people. */
        STRONG,
        /** Large digits without distortion. */
        CALM
    }

    /** The colors of images. */
    public enum Theme {
        /** Dark digits on a light ground. */
        LIGHT,
        /** Light digits on a dark ground. */
        DARK
    }

    /** What the app can show. */
    public enum Format {
        /** One image of the whole PIN. */
        CAPTCHA,
        /** One image for each digit. */
        DIGITS,
        /** The digits themselves, in {@link ProvisioningResponse#text}, for a cardholder whom the bank has marked. */
        TEXT
    }

    private static final int MAXIMUM_SCALE = 3;

    private final Style style;
    private final Theme theme;
    private final Integer scale;
    private final List<String> formats;

    private DisplayHints(Style style, Theme theme, Integer scale, List<String> formats) {
        this.style = style;
        this.theme = theme;
        this.scale = scale;
        this.formats = formats;
    }

    /**
     * Hints with a style.
     *
     * @param style the style, or null for the bank's own
     * @return the new hints
     */
    public DisplayHints withStyle(Style style) {
        return new DisplayHints(style, theme, scale, formats);
    }

    /**
     * Hints with colors.
     *
     * @param theme the colors, or null for light ones
     * @return the new hints
     */
    public DisplayHints withTheme(Theme theme) {
        return new DisplayHints(style, theme, scale, formats);
    }

    /**
     * Hints with a scale.
     *
     * @param scale how many pixels of the image are along each side of a density-independent pixel: 1, 2 or 3
     * @return the new hints
     * @throws IllegalArgumentException if the scale is another number
     */
    public DisplayHints withScale(int scale) {
        if (scale < 1 || scale > MAXIMUM_SCALE) throw new IllegalArgumentException("the scale must be 1, 2 or 3");
        return new DisplayHints(style, theme, scale, formats);
    }

    /**
     * Hints with formats.
     *
     * @param formats what the app can show; {@link Format#TEXT} only if it shows {@link ProvisioningResponse#text}
     * @return the new hints
     */
    public DisplayHints withFormats(Format... formats) {
        List<String> names = new ArrayList<>();
        for (Format format : formats) names.add(name(format));
        return new DisplayHints(style, theme, scale, names);
    }

    boolean acceptsText() {
        return formats != null && formats.contains(name(Format.TEXT));
    }

    /** The request's members. */
    Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("style", name(style));
        members.put("theme", name(theme));
        members.put("scale", scale);
        members.put("formats", formats);
        return members;
    }

    private static String name(Enum<?> value) {
        return value == null ? null : value.name().toLowerCase(Locale.ROOT);
    }
}
