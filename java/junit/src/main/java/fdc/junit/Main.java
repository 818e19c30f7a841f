package fdc.junit;

import fdc.record.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Runs the tests that are in folders and jars of the class path, for projects without Maven or Gradle.
 *
 * <pre>
 * java -javaagent:fdc-agent.jar -cp fdc-junit.jar:... fdc.junit.Main [--list] PATH...
 * </pre>
 *
 * Each PATH is a folder or jar of test classes that is on the class path too. Every class in it that
 * has tests is run: by the JUnit Platform when {@code junit-platform-launcher} is on the class path, and
 * JUnit 3 and 4 tests by JUnit itself where the Platform has no vintage engine. Suites are left out,
 * for the classes they name are run anyway. {@code --list} prints the tests instead. Exit code: 0 all
 * passed, 1 some failed, 2 usage, 3 no tests, 4 a part of JUnit is missing.
 */
public final class Main {
    private static final int FAILED = 1;
    private static final int USAGE = 2;
    private static final int NO_TESTS = 3;
    private static final int MISSING = 4;

    private Main() {}

    public static void main(String[] arguments) {
        int code;
        try {
            code = run(arguments);
        } catch (IOException error) {
            code = complain(USAGE, error.getMessage());
        }
        System.out.flush();
        // Threads that tests left behind must not keep the JVM alive.
        System.exit(code);
    }

    private static int run(String[] arguments) throws IOException {
        boolean list = false;
        List<Path> paths = new ArrayList<>();
        for (String argument : arguments) {
            if (argument.equals("--list")) {
                list = true;
            } else {
                paths.add(Paths.get(argument));
            }
        }
        if (paths.isEmpty()) {
            return complain(USAGE, "no folder or jar of tests is given: fdc.junit.Main [--list] PATH...");
        }
        for (Path path : paths) {
            if (!Files.exists(path)) {
                return complain(USAGE, path + ": expected a folder or jar of test classes, found nothing");
            }
        }
        // The first class of JUnit starts the agent: only then may its classes be used here.
        boolean platform = Present.platform();
        boolean junit4 = Present.junit4();
        boolean junit3 = Present.junit3();
        if (!platform && !junit4 && !junit3 && !Present.jupiter()) {
            return complain(MISSING, "no JUnit on the class path; add junit:junit, or org.junit.jupiter:junit-jupiter"
                    + " and org.junit.platform:junit-platform-launcher");
        }
        TestScan scan = TestScan.of(paths);
        if (!platform && scan.hasJupiter()) {
            String version = scan.platformVersion();
            return complain(MISSING, "there are JUnit Jupiter tests, and nothing on the class path that runs them;"
                    + " add org.junit.platform:junit-platform-launcher"
                    + (version == null ? " (the version that goes with your junit-platform-engine)" : ":" + version)
                    + " and org.junit.jupiter:junit-jupiter-engine");
        }
        if (!hasSession()) {
            return complain(USAGE, "the agent is not at work: give -javaagent:fdc-agent.jar, FDC_SPOOL and FDC_PLAN");
        }
        Tally tally = new Tally(list);
        List<Class<?>> rest = scan.oldTests();
        if (platform) {
            PlatformRun run = PlatformRun.ofPaths(paths, scan.suites());
            run.run(tally);
            rest = run.hasVintage() ? Collections.<Class<?>>emptyList() : rest;
        }
        if (!rest.isEmpty() && junit4) {
            JUnit4Run.run(rest, tally);
        } else if (!rest.isEmpty()) {
            JUnit3Run.run(rest, tally);
        }
        return tally.tests() == 0 ? complain(NO_TESTS, "no test found in " + paths) : tally.finish() ? 0 : FAILED;
    }

    private static boolean hasSession() {
        try {
            return Session.get() != null;
        } catch (NoClassDefFoundError noAgent) {
            return false;
        }
    }

    private static int complain(int code, String message) {
        System.err.println("fdc: " + message);
        return code;
    }
}
