package fdc.junit;

import java.io.File;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** The classes in folders and jars that hold tests of JUnit 3 and 4; those of the Platform it finds itself. */
final class TestScan {
    private static final String SUFFIX = ".class";

    private final List<Class<?>> oldTests = new ArrayList<>();
    private final TreeSet<String> suites = new TreeSet<>();
    private boolean jupiter;

    private TestScan() {}

    static TestScan of(List<Path> paths) throws IOException {
        TreeSet<String> names = new TreeSet<>();
        for (Path path : paths) {
            addNames(path, names);
        }
        TestScan scan = new TestScan();
        int unloadable = 0;
        String example = null;
        for (String name : names) {
            try {
                scan.sort(Class.forName(name, false, ClassLoader.getSystemClassLoader()));
            } catch (ClassNotFoundException | LinkageError | TypeNotPresentException error) {
                unloadable++;
                example = name + " (" + error + ")";
            }
        }
        if (unloadable > 0) {
            System.err.println("fdc: " + unloadable + " classes cannot be loaded and are not run, such as " + example
                    + "; is the class path complete?");
        }
        return scan;
    }

    /** Of classes that are loaded. */
    static TestScan of(Iterable<Class<?>> classes) {
        TestScan scan = new TestScan();
        for (Class<?> each : classes) {
            try {
                scan.sort(each);
            } catch (LinkageError | TypeNotPresentException error) {
                // What cannot be looked at has no tests.
            }
        }
        return scan;
    }

    /** Classes of JUnit 3 and 4 tests, by name. */
    List<Class<?>> oldTests() {
        return oldTests;
    }

    /** Classes that only run the tests of others. */
    TreeSet<String> suites() {
        return suites;
    }

    boolean hasJupiter() {
        return jupiter;
    }

    /** The version of the Platform on the class path, or null. */
    String platformVersion() {
        for (String name : new String[] {"org.junit.platform.engine.TestEngine", "org.junit.platform.commons.annotation.Testable"}) {
            try {
                Package found = Class.forName(name).getPackage();
                if (found != null && found.getImplementationVersion() != null) {
                    return found.getImplementationVersion();
                }
            } catch (ClassNotFoundException | LinkageError absent) {
                continue;
            }
        }
        return null;
    }

    private void sort(Class<?> each) {
        boolean inner = each.isMemberClass() && !Modifier.isStatic(each.getModifiers());
        if (each.isInterface() || each.isSynthetic() || each.isAnonymousClass() || each.isLocalClass()) {
            return;
        }
        if (Modifier.isAbstract(each.getModifiers())) {
            return;
        }
        jupiter |= hasJupiterTests(each);
        String runner = runner(each);
        if (runner != null && isSuite(runner)) {
            suites.add(each.getName());
        } else if (each.getEnclosingClass() != null && "org.junit.experimental.runners.Enclosed".equals(runner(each.getEnclosingClass()))) {
            // Its outer class runs it.
            suites.add(each.getName());
        } else if (Modifier.isPublic(each.getModifiers()) && !inner
                && (runner != null || hasJUnit4Tests(each) || hasJUnit3Tests(each))) {
            oldTests.add(each);
        } else if (!isTestCase(each) && hasSuiteMethod(each)) {
            suites.add(each.getName());
        }
    }

    private static boolean hasJUnit4Tests(Class<?> each) {
        return Stream.of(each.getMethods()).anyMatch(method -> annotation(method.getAnnotations(), "org.junit.Test") != null);
    }

    private static boolean hasJUnit3Tests(Class<?> each) {
        if (!isTestCase(each)) {
            return false;
        }
        if (hasSuiteMethod(each)) {
            return true;
        }
        boolean makeable = false;
        for (Constructor<?> constructor : each.getConstructors()) {
            Class<?>[] types = constructor.getParameterTypes();
            makeable |= types.length == 0 || types.length == 1 && types[0] == String.class;
        }
        return makeable && Stream.of(each.getMethods()).anyMatch(method -> method.getName().startsWith("test")
                && method.getParameterTypes().length == 0 && method.getReturnType() == void.class);
    }

    private static boolean hasSuiteMethod(Class<?> each) {
        try {
            Method suite = each.getMethod("suite");
            return Modifier.isStatic(suite.getModifiers()) && suite.getReturnType().getName().startsWith("junit.framework.Test");
        } catch (NoSuchMethodException none) {
            return false;
        }
    }

    private static boolean isTestCase(Class<?> each) {
        for (Class<?> type = each; type != null; type = type.getSuperclass()) {
            if (type.getName().equals("junit.framework.TestCase")) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasJupiterTests(Class<?> each) {
        for (Method method : each.getDeclaredMethods()) {
            for (Annotation annotation : method.getAnnotations()) {
                if (annotation.annotationType().getName().startsWith("org.junit.jupiter.")) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The name of the class in its {@code @RunWith}, or null. */
    private static String runner(Class<?> each) {
        Annotation runWith = annotation(each.getAnnotations(), "org.junit.runner.RunWith");
        try {
            return runWith == null ? null : ((Class<?>) runWith.annotationType().getMethod("value").invoke(runWith)).getName();
        } catch (ReflectiveOperationException odd) {
            return null;
        }
    }

    private static boolean isSuite(String runner) {
        return runner.equals("org.junit.runners.Suite") || runner.equals("org.junit.runners.AllTests")
                || runner.equals("org.junit.experimental.categories.Categories")
                || runner.equals("org.junit.platform.runner.JUnitPlatform");
    }

    private static Annotation annotation(Annotation[] annotations, String name) {
        for (Annotation annotation : annotations) {
            if (annotation.annotationType().getName().equals(name)) {
                return annotation;
            }
        }
        return null;
    }

    private static void addNames(Path path, TreeSet<String> names) throws IOException {
        List<String> files = new ArrayList<>();
        if (Files.isDirectory(path)) {
            try (Stream<Path> all = Files.walk(path)) {
                all.forEach(file -> files.add(path.relativize(file).toString().replace(File.separatorChar, '/')));
            }
        } else {
            try (JarFile jar = new JarFile(path.toFile())) {
                for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements();) {
                    files.add(entries.nextElement().getName());
                }
            }
        }
        Collections.sort(files);
        for (String file : files) {
            if (file.endsWith(SUFFIX) && !file.startsWith("META-INF/") && !file.endsWith("-info.class")) {
                names.add(file.substring(0, file.length() - SUFFIX.length()).replace('/', '.'));
            }
        }
    }
}
