import fdc.record.TestNames;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TimeZone;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs tests on mixtures of two releases, one command per line of its input, each in class loaders of its own.
 *
 * <pre>
 * java -XX:-BytecodeVerificationRemote ... Experiments EARLIER.jar LATER.jar TESTS
 * changes                    the methods that differ: change OWNER METHOD IN_CLASS INITIALISES RETYPED
 * suite CLASSES              all tests:               test NAME UNIQUE_ID OUTCOME NOTE
 * run CLASSES UNIQUE_ID      one test:                test NAME UNIQUE_ID OUTCOME NOTE
 * write CLASSES FOLDER       class files
 * </pre>
 *
 * CLASSES is {@code earlier}, {@code later}, or numbers of changes that are put into the earlier release
 * ({@code all}, {@code none}, {@code 1,2}, {@code ~1,2} for all but these) with everything that was added, or
 * ({@code =1,2}) with no more of it than they need. Every answer ends with a line {@code done}; parts are separated by tabs. OUTCOME is pass, fail, skip or slow.
 */
public final class Experiments {
    /**
     * Processor time, so that a busy machine changes no outcome. What waits for something is stopped after {@link #CLOCK}
     * times as long, counted in turns: on a busy machine a turn takes longer.
     */
    private static final long TEST_MILLIS = 20_000;
    private static final long CLASS_MILLIS = 60_000;
    private static final int CLOCK = 6;
    private static final long TURN_MILLIS = 50;
    private static final int NOTE = 300;

    private final PrintStream out;
    private final Release earlier;
    private final Release later;
    private final Mixture mixture;
    private final Path earlierJar;
    private final Path laterJar;
    private final Path tests;

    private Experiments(PrintStream out, Path earlierJar, Path laterJar, Path tests) throws IOException {
        this.out = out;
        this.earlierJar = earlierJar;
        this.laterJar = laterJar;
        this.tests = tests;
        earlier = Release.read(earlierJar);
        later = Release.read(laterJar);
        mixture = new Mixture(earlier, later);
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        // What tests print is of no interest.
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.setIn(new ByteArrayInputStream(new byte[0]));
        Experiments experiments = new Experiments(out, Path.of(arguments[0]), Path.of(arguments[1]), Path.of(arguments[2]));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            experiments.answer(line.split("\t"));
            out.println("done");
        }
        System.exit(0);
    }

    private void answer(String[] words) throws IOException {
        switch (words[0]) {
            case "changes":
                mixture.changes.forEach(change -> say("change", change.owner, change.written(), change.inClass, change.initialises, change.retyped));
                break;
            case "suite":
                Loader loader = loader(words[1]);
                for (String name : testClasses(loader)) {
                    Thread.currentThread().setContextClassLoader(loader);
                    run(loader, DiscoverySelectors.selectClass(name), name, CLASS_MILLIS);
                }
                break;
            case "run":
                run(loader(words[1]), DiscoverySelectors.selectUniqueId(words[2]), words[2], TEST_MILLIS);
                break;
            case "write":
                for (Map.Entry<String, byte[]> each : classes(words[1]).entrySet()) {
                    Path file = Path.of(words[2], each.getKey() + ".class");
                    Files.createDirectories(file.getParent());
                    Files.write(file, each.getValue());
                }
                break;
            default:
                throw new IOException("unknown command " + words[0]);
        }
    }

    /** Classes of tests, with those left out that only run the tests of others. */
    private List<String> testClasses(Loader loader) throws IOException {
        TreeSet<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(tests)) {
            files.map(file -> tests.relativize(file).toString()).filter(file -> file.endsWith(".class"))
                    .forEach(file -> names.add(file.substring(0, file.length() - ".class".length()).replace('/', '.')));
        }
        List<String> found = new ArrayList<>();
        for (String name : names) {
            try {
                Class<?> type = Class.forName(name, false, loader);
                boolean hidden = type.isAnonymousClass() || type.isLocalClass() || Modifier.isAbstract(type.getModifiers());
                if (!hidden && !isSuite(type) && (type.getEnclosingClass() == null || Modifier.isStatic(type.getModifiers()))) {
                    found.add(name);
                }
            } catch (ClassNotFoundException | LinkageError broken) {
                continue;
            }
        }
        return found;
    }

    private static boolean isSuite(Class<?> type) {
        for (Class<?> above = type; above != null; above = above.getSuperclass()) {
            if (above.getName().equals("junit.framework.TestCase")) {
                return false;
            }
        }
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals("suite") && Modifier.isStatic(method.getModifiers()) && method.getParameterCount() == 0) {
                return true;
            }
        }
        return Arrays.stream(type.getAnnotations()).anyMatch(each -> each.toString().contains("runners.Suite"));
    }

    @SuppressWarnings({"deprecation", "removal"})
    private void run(Loader loader, DiscoverySelector selector, String what, long limit) {
        Properties properties = (Properties) System.getProperties().clone();
        Locale locale = Locale.getDefault();
        TimeZone zone = TimeZone.getDefault();
        Listener listener = new Listener();
        Thread thread = new Thread(() -> {
            try {
                LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request().selectors(selector).build();
                LauncherFactory.create().execute(request, listener);
            } catch (Throwable broken) {
                listener.trouble = broken;
            }
        });
        thread.setDaemon(true);
        thread.setContextClassLoader(loader);
        thread.start();
        await(thread, limit);
        synchronized (listener) {
            listener.closed = true;
            listener.lines.forEach(out::println);
            if (thread.isAlive()) {
                say("test", listener.current == null ? what : TestNames.ofPlatform(listener.current), what, "slow", "");
            } else if (listener.trouble != null) {
                say("test", what, what, "fail", note(listener.trouble));
            }
        }
        if (thread.isAlive()) {
            thread.interrupt();
            thread.stop();
        }
        System.setProperties(properties);
        Locale.setDefault(locale);
        TimeZone.setDefault(zone);
    }

    private static void await(Thread thread, long limit) {
        try {
            for (long turn = 0; turn < limit * CLOCK / TURN_MILLIS && thread.isAlive()
                    && ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId()) < limit * 1_000_000; turn++) {
                thread.join(TURN_MILLIS);
            }
        } catch (InterruptedException odd) {
            Thread.currentThread().interrupt();
        }
    }

    private Loader loader(String classes) throws MalformedURLException {
        Path jar = classes.equals("later") ? laterJar : earlierJar;
        return new Loader(classes(classes), new URL[] {tests.toUri().toURL(), jar.toUri().toURL()});
    }

    private Map<String, byte[]> classes(String classes) {
        switch (classes) {
            case "later":
                return later.bytes;
            case "earlier":
                return earlier.bytes;
            default:
                return classes.startsWith("=") ? mixture.withOnly(numbers(classes.substring(1))) : mixture.with(numbers(classes));
        }
    }

    private List<Integer> numbers(String chosen) {
        List<Integer> all = IntStream.range(0, mixture.changes.size()).boxed().collect(Collectors.toList());
        if (chosen.equals("all") || chosen.equals("none")) {
            return chosen.equals("all") ? all : List.of();
        }
        List<Integer> named = Arrays.stream(chosen.replace("~", "").split(",")).map(Integer::valueOf).collect(Collectors.toList());
        if (!chosen.startsWith("~")) {
            return named;
        }
        all.removeAll(named);
        return all;
    }

    private void say(Object... parts) {
        out.println(line(parts));
    }

    private static String line(Object... parts) {
        return Arrays.stream(parts).map(part -> String.valueOf(part).replaceAll("[\\t\\r\\n]+", " ")).collect(Collectors.joining("\t"));
    }

    private static String note(Throwable error) {
        if (error == null) {
            return "";
        }
        String message;
        try {
            message = String.valueOf(error.getMessage());
        } catch (Throwable odd) {
            message = "";
        }
        // Addresses differ from run to run.
        String note = error.getClass().getName() + ": " + message.replaceAll("@[0-9a-f]+", "@");
        return note.length() > NOTE ? note.substring(0, NOTE) : note;
    }

    private static final class Listener implements TestExecutionListener {
        final List<String> lines = new ArrayList<>();
        String current;
        Throwable trouble;
        /** What comes after the time is up is not told. */
        boolean closed;

        @Override
        public synchronized void executionStarted(TestIdentifier test) {
            current = test.isTest() ? test.getUniqueId() : current;
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            tell(test, "skip", "");
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            boolean failed = result.getStatus() == TestExecutionResult.Status.FAILED;
            boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
            if (test.isTest() || failed) {
                tell(test, failed ? "fail" : passed ? "pass" : "skip", note(result.getThrowable().orElse(null)));
            }
        }

        private synchronized void tell(TestIdentifier test, String outcome, String note) {
            if (!closed) {
                lines.add(line("test", TestNames.ofPlatform(test.getUniqueId()), test.getUniqueId(), outcome, note));
            }
        }
    }

    /** The release under test and its tests; what they need comes from the class path. */
    private static final class Loader extends URLClassLoader {
        private final Map<String, byte[]> bytes;

        Loader(Map<String, byte[]> bytes, URL[] places) {
            super(places, Experiments.class.getClassLoader());
            this.bytes = bytes;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> found = findLoadedClass(name);
                if (found == null) {
                    byte[] own = bytes.get(name.replace('.', '/'));
                    if (own != null) {
                        return define(name, own);
                    }
                    // Tests are found here, everything else above; classes of the release only among the bytes.
                    found = super.loadClass(name, false);
                }
                return found;
            }
        }

        private Class<?> define(String name, byte[] own) {
            int end = name.lastIndexOf('.');
            if (end > 0 && getDefinedPackage(name.substring(0, end)) == null) {
                definePackage(name.substring(0, end), null, null, null, null, null, null, null);
            }
            return defineClass(name, own, 0, own.length);
        }

        @Override
        public URL getResource(String name) {
            URL own = findResource(name);
            return own == null ? super.getResource(name) : own;
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            URL found = getResource(name);
            try {
                return found == null ? null : found.openStream();
            } catch (IOException absent) {
                return null;
            }
        }
    }
}
