package fdc.record;

import java.io.UnsupportedEncodingException;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.List;

/**
 * How tests are called.
 *
 * <ul>
 * <li>JUnit 3: {@code org.x.FooTest#testBar}.
 * <li>JUnit 4, also under the Platform's vintage engine: class and method as the Description says,
 *     {@code org.x.FooTest#bar}, {@code org.x.FooTest#bar[0]} for a parameterised one.
 * <li>Jupiter: {@code org.x.FooTest#bar}; with parameters their simple types,
 *     {@code org.x.FooTest#bar(int,String)}; an invocation of a parameterised or repeated test, or
 *     one of a factory's dynamic tests, with its number from 1, {@code org.x.FooTest#bar(int)[2]},
 *     one number for each level. A nested class is {@code org.x.FooTest$Inner#bar}, an invocation of a
 *     parameterised class {@code org.x.FooTest[1]#bar}.
 * <li>Another engine of the Platform: the first part of the test's unique id after the engine, then
 *     {@code #}, then the other parts with {@code /} between.
 * </ul>
 */
public final class TestNames {
    private TestNames() {}

    /** A part of a unique id, {@code [type:value]}. */
    private static final class Part {
        final String type;
        final String value;

        Part(String type, String value) {
            this.type = type;
            this.value = value;
        }
    }

    /** The id of the Platform's test with this unique id. */
    public static String ofPlatform(String uniqueId) {
        List<Part> parts = parts(uniqueId);
        String engine = parts.isEmpty() ? "" : parts.get(0).value;
        // A suite engine runs other engines below itself: the innermost one tells.
        int start = 1;
        for (int i = 1; i < parts.size(); i++) {
            if (parts.get(i).type.equals("engine")) {
                engine = parts.get(i).value;
                start = i + 1;
            }
        }
        List<Part> own = parts.subList(Math.min(start, parts.size()), parts.size());
        if (own.isEmpty()) {
            return uniqueId;
        }
        switch (engine) {
            case "junit-jupiter":
                return ofJupiter(own);
            case "junit-vintage":
                return own.size() == 1 ? own.get(0).value : ofVintage(own.get(own.size() - 1).value);
            default:
                StringBuilder name = new StringBuilder(own.get(0).value);
                for (int i = 1; i < own.size(); i++) {
                    name.append(i == 1 ? '#' : '/').append(own.get(i).value);
                }
                return name.toString();
        }
    }

    /** The name of a container of the Platform: a class, a parameterised test, a factory; null for an engine. */
    public static String ofContainer(String uniqueId) {
        return parts(uniqueId).size() < 2 ? null : ofPlatform(uniqueId);
    }

    /** Whether a container is a test of many invocations, not a class. */
    static boolean isMethod(String container) {
        return container.indexOf('#') >= 0;
    }

    /** The id of a JUnit 4 test by its Description's display name, {@code method(class)}. */
    public static String ofDescription(String displayName) {
        int open = displayName.lastIndexOf('(');
        if (open < 0 || !displayName.endsWith(")")) {
            return displayName;
        }
        return displayName.substring(open + 1, displayName.length() - 1) + '#' + displayName.substring(0, open);
    }

    /** The class part of an id. */
    public static String classOf(String id) {
        int end = id.indexOf('#');
        String name = end < 0 ? id : id.substring(0, end);
        int invocation = name.indexOf('[');
        return invocation < 0 ? name : name.substring(0, invocation);
    }

    /** The class part of an id without nested classes. */
    static String topLevelClass(String id) {
        String name = classOf(id);
        int nested = name.indexOf('$', name.lastIndexOf('.') + 2);
        return nested < 0 ? name : name.substring(0, nested);
    }

    private static String ofJupiter(List<Part> parts) {
        StringBuilder name = new StringBuilder();
        for (Part part : parts) {
            if (part.type.endsWith("invocation") || part.type.startsWith("dynamic")) {
                name.append('[').append(part.value.startsWith("#") ? part.value.substring(1) : part.value).append(']');
            } else if (part.type.startsWith("nested-class")) {
                name.append('$').append(part.value);
            } else if (part.type.startsWith("class")) {
                name.append(part.value);
            } else {
                name.append('#').append(ofMethod(part.value));
            }
        }
        return name.toString();
    }

    /** {@code bar(int, java.lang.String)} becomes {@code bar(int,String)}, {@code bar()} becomes {@code bar}. */
    private static String ofMethod(String signature) {
        int open = signature.indexOf('(');
        if (open < 0 || signature.endsWith("()")) {
            return open < 0 ? signature : signature.substring(0, open);
        }
        StringBuilder name = new StringBuilder(signature.substring(0, open + 1));
        for (String type : signature.substring(open + 1, signature.length() - 1).split(",")) {
            if (name.charAt(name.length() - 1) != '(') {
                name.append(',');
            }
            name.append(simpleType(type.trim()));
        }
        return name.append(')').toString();
    }

    private static String simpleType(String type) {
        int dimensions = 0;
        while (dimensions < type.length() && type.charAt(dimensions) == '[') {
            dimensions++;
        }
        String element = type.substring(dimensions);
        if (dimensions > 0 && element.startsWith("L") && element.endsWith(";")) {
            element = element.substring(1, element.length() - 1);
        } else if (dimensions > 0 && element.length() == 1) {
            int primitive = "ZBCSIJFD".indexOf(element);
            String[] names = {"boolean", "byte", "char", "short", "int", "long", "float", "double"};
            element = primitive < 0 ? element : names[primitive];
        }
        StringBuilder name = new StringBuilder(element.substring(element.lastIndexOf('.') + 1));
        for (int i = 0; i < dimensions; i++) {
            name.append("[]");
        }
        return name.toString();
    }

    /** Vintage adds {@code [1]}, ... to a Description's name that is there more than once. */
    private static String ofVintage(String value) {
        int end = value.lastIndexOf(')');
        String again = end >= 0 && value.startsWith("[", end + 1) ? value.substring(end + 1) : "";
        return ofDescription(value.substring(0, value.length() - again.length())) + again;
    }

    private static List<Part> parts(String uniqueId) {
        List<Part> parts = new ArrayList<>();
        if (uniqueId.startsWith("[") && uniqueId.endsWith("]")) {
            for (String part : uniqueId.substring(1, uniqueId.length() - 1).split("]/\\[")) {
                int colon = part.indexOf(':');
                if (colon >= 0) {
                    parts.add(new Part(decoded(part.substring(0, colon)), decoded(part.substring(colon + 1))));
                }
            }
        }
        return parts;
    }

    private static String decoded(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        try {
            return URLDecoder.decode(text, "UTF-8");
        } catch (UnsupportedEncodingException | IllegalArgumentException odd) {
            return text;
        }
    }
}
