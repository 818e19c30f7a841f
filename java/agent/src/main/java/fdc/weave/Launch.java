package fdc.weave;

import fdc.agent.Roots;
import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tells how this JVM was started, so that fdc can start others like it without the build: lines of
 * {@code key value}, with backslashes and line ends written as in a plan.
 */
final class Launch {
    private Launch() {}

    /** Writes a file of its own into the folder. */
    static void tell(Instrumentation instrumentation, String folder) {
        List<String> lines = new ArrayList<>();
        add(lines, "home", System.getProperty("java.home"));
        add(lines, "folder", System.getProperty("user.dir"));
        for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            add(lines, "argument", argument);
        }
        for (String path : classPath(instrumentation)) {
            add(lines, "path", path);
        }
        for (String name : System.getProperties().stringPropertyNames()) {
            add(lines, "property", name + "=" + System.getProperty(name));
        }
        for (Map.Entry<String, String> variable : System.getenv().entrySet()) {
            add(lines, "variable", variable.getKey() + "=" + variable.getValue());
        }
        try {
            Path file = Files.createTempFile(new File(folder).toPath(), "launch-", ".part");
            Files.write(file, lines, StandardCharsets.UTF_8);
            Files.move(file, file.resolveSibling(file.getFileName().toString().replace(".part", ".txt")));
        } catch (IOException error) {
            System.err.println("fdc: cannot write to " + folder + ": " + error);
        }
    }

    /** What the build says, then what its own launcher has added. */
    private static Set<String> classPath(Instrumentation instrumentation) {
        Set<String> paths = new LinkedHashSet<>();
        for (String path : System.getProperty("java.class.path", "").split(File.pathSeparator)) {
            if (!path.isEmpty()) {
                paths.add(new File(path).getAbsolutePath());
            }
        }
        for (Class<?> each : instrumentation.getAllLoadedClasses()) {
            String location = each.getClassLoader() == null ? null : Roots.location(each.getProtectionDomain());
            Path path = location == null ? null : Roots.path(location);
            if (path != null) {
                paths.add(path.toAbsolutePath().toString());
            }
        }
        return paths;
    }

    private static void add(List<String> lines, String key, String value) {
        lines.add(key + " " + value.replace("\\", "\\\\").replace("\n", "\\n"));
    }
}
