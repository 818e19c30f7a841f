package fdc.junit;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** The class files and resources of the project, read once for all mutants. */
final class ProjectClasses {
    static final String SUFFIX = ".class";

    private final Map<String, Place> places = new HashMap<>();
    private final Map<String, byte[]> bytes = new ConcurrentHashMap<>();
    private final URLClassLoader resources;

    /** Where a class is, and where it says that it is from. */
    private static final class Place {
        final File file;
        /** Within a jar. */
        final String entry;
        final ProtectionDomain domain;

        Place(File file, String entry, ProtectionDomain domain) {
            this.file = file;
            this.entry = entry;
            this.domain = domain;
        }
    }

    /** Of folders and jars, the first ones first; but the classes of {@code woven} come before all. */
    ProjectClasses(List<File> paths, List<File> woven) throws IOException {
        URL[] urls = new URL[paths.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = url(paths.get(i));
            ProtectionDomain domain = new ProtectionDomain(new CodeSource(urls[i], (Certificate[]) null), null);
            if (paths.get(i).isDirectory()) {
                addFolder(paths.get(i), domain);
            } else if (paths.get(i).isFile()) {
                addJar(paths.get(i), domain);
            }
        }
        for (File folder : woven) {
            for (Map.Entry<String, File> each : classFiles(folder).entrySet()) {
                Place original = places.get(each.getKey());
                places.put(each.getKey(), new Place(each.getValue(), null, original == null ? null : original.domain));
            }
        }
        resources = new URLClassLoader(urls, null);
    }

    boolean has(String name) {
        return places.containsKey(name);
    }

    ProtectionDomain domain(String name) {
        Place place = places.get(name);
        return place == null ? null : place.domain;
    }

    byte[] bytes(String name) throws IOException {
        byte[] known = bytes.get(name);
        if (known == null) {
            Place place = places.get(name);
            known = place.entry == null ? Files.readAllBytes(place.file.toPath()) : ofJar(place);
            bytes.put(name, known);
        }
        return known;
    }

    URL resource(String name) {
        return resources.findResource(name);
    }

    Enumeration<URL> resources(String name) throws IOException {
        return resources.findResources(name);
    }

    /** The class files below a folder, by the names of their classes. */
    static Map<String, File> classFiles(File folder) throws IOException {
        Map<String, File> found = new HashMap<>();
        Path root = folder.toPath();
        try (Stream<Path> all = Files.walk(root)) {
            all.filter(file -> file.toString().endsWith(SUFFIX))
                    .forEach(file -> found.put(className(root.relativize(file).toString().replace(File.separatorChar, '/')), file.toFile()));
        }
        return found;
    }

    private void addFolder(File folder, ProtectionDomain domain) throws IOException {
        for (Map.Entry<String, File> each : classFiles(folder).entrySet()) {
            places.putIfAbsent(each.getKey(), new Place(each.getValue(), null, domain));
        }
    }

    private void addJar(File jar, ProtectionDomain domain) throws IOException {
        try (JarFile file = new JarFile(jar)) {
            for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements();) {
                String entry = entries.nextElement().getName();
                if (entry.endsWith(SUFFIX) && !entry.startsWith("META-INF/")) {
                    places.putIfAbsent(className(entry), new Place(jar, entry, domain));
                }
            }
        }
    }

    private static byte[] ofJar(Place place) throws IOException {
        try (JarFile jar = new JarFile(place.file); InputStream in = jar.getInputStream(jar.getJarEntry(place.entry))) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            byte[] part = new byte[8192];
            for (int count = in.read(part); count >= 0; count = in.read(part)) {
                all.write(part, 0, count);
            }
            return all.toByteArray();
        }
    }

    private static String className(String path) {
        return path.substring(0, path.length() - SUFFIX.length()).replace('/', '.');
    }

    private static URL url(File file) throws MalformedURLException {
        return file.toURI().toURL();
    }
}
