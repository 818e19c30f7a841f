package fdc.weave;

import fdc.agent.Roots;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** The names of the classes in the plan's folders and jars, and in those of test code. */
final class ClassIndex {
    private static final String SUFFIX = ".class";

    private final Set<String> names = Collections.newSetFromMap(new ConcurrentHashMap<>());
    private final Set<String> locations = new HashSet<>();

    ClassIndex(Roots roots) {
        for (String path : roots.paths()) {
            add(Paths.get(path));
        }
    }

    /** By its name in class files. */
    boolean contains(String name) {
        return names.contains(name);
    }

    /** Adds what is at a code source's URL. */
    synchronized void addLocation(String location) {
        if (location != null && locations.add(location)) {
            Path path = Roots.path(location);
            if (path != null) {
                add(path);
            }
        }
    }

    private void add(Path path) {
        try {
            if (Files.isDirectory(path)) {
                try (Stream<Path> files = Files.walk(path)) {
                    files.forEach(file -> add(path.relativize(file).toString().replace(File.separatorChar, '/')));
                }
            } else if (Files.isRegularFile(path)) {
                try (JarFile jar = new JarFile(path.toFile())) {
                    for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements();) {
                        add(entries.nextElement().getName());
                    }
                }
            }
        } catch (IOException unreadable) {
            // The index only helps to hand out static initialisers; the JVM says what it cannot load.
        }
    }

    private void add(String file) {
        if (file.endsWith(SUFFIX)) {
            names.add(file.substring(0, file.length() - SUFFIX.length()));
        }
    }
}
