package fdc.agent;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The folders and jars a plan names as {@code classes}, and which classes come from them. */
public final class Roots {
    private final Map<Path, String> roots = new HashMap<>();
    private final Map<String, String> known = new HashMap<>();

    /** Reads the {@code classes} lines of a plan. */
    public static Roots ofPlan(String plan) throws IOException {
        Roots roots = new Roots();
        for (String line : Files.readAllLines(Paths.get(plan), StandardCharsets.UTF_8)) {
            if (line.startsWith("classes ")) {
                String path = unescaped(line.substring("classes ".length()));
                roots.roots.put(real(Paths.get(path)), path);
            }
        }
        return roots;
    }

    /** The folders and jars, as the plan writes them. */
    public List<String> paths() {
        return new ArrayList<>(roots.values());
    }

    /** The folder or jar, as the plan writes it, that the domain's classes come from; or null. */
    public String of(ProtectionDomain domain) {
        String location = location(domain);
        if (location == null || roots.isEmpty()) {
            return null;
        }
        synchronized (known) {
            if (!known.containsKey(location)) {
                Path path = path(location);
                known.put(location, path == null ? null : roots.get(real(path)));
            }
            return known.get(location);
        }
    }

    /** Where the domain's classes come from, as a URL; null when that is not known. */
    public static String location(ProtectionDomain domain) {
        CodeSource source = domain == null ? null : domain.getCodeSource();
        return source == null || source.getLocation() == null ? null : source.getLocation().toString();
    }

    /** The file or folder of a URL; null when it is neither. */
    public static Path path(String location) {
        try {
            String url = location;
            if (url.startsWith("jar:") && url.contains("!/")) {
                url = url.substring("jar:".length(), url.indexOf("!/"));
            }
            return url.startsWith("file:") ? new File(new java.net.URI(url)).toPath() : null;
        } catch (java.net.URISyntaxException | IllegalArgumentException odd) {
            return location.startsWith("file:") ? Paths.get(location.substring("file:".length())) : null;
        }
    }

    /** A plan's value as it was meant: {@code \\\\} is a backslash, {@code \\n} the end of a line. */
    public static String unescaped(String value) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < value.length(); i++) {
            char letter = value.charAt(i);
            if (letter == '\\' && i + 1 < value.length()) {
                i++;
                letter = value.charAt(i) == 'n' ? '\n' : value.charAt(i);
            }
            text.append(letter);
        }
        return text.toString();
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException absent) {
            // A module that is not built yet: its folder appears later under this name.
            return path.toAbsolutePath().normalize();
        }
    }
}
