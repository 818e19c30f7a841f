import fdc.record.TestNames;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.runner.Description;
import org.junit.runner.RunWith;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.Filterable;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunNotifier;

/**
 * Tests of JUnit Jupiter as tests of JUnit 4, for GZoltar knows no others.
 *
 * <p>The file named by the property {@code bridge.tests} holds a test a line, Jupiter's unique id, a tab
 * and fdc's name; line n, from 0, is the JUnit 4 test {@code JupiterBridge#t<n>}. {@code main OUT PATH...}
 * runs the tests in folders or jars once and writes such a file, sorted.
 */
@RunWith(JupiterBridge.OneByOne.class)
public final class JupiterBridge {
    public static void main(String[] arguments) throws IOException {
        Set<Path> roots = new LinkedHashSet<>();
        for (int i = 1; i < arguments.length; i++) {
            roots.add(Paths.get(arguments[i]));
        }
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClasspathRoots(roots)).build();
        Set<String> ids = new TreeSet<>();
        LauncherFactory.create().execute(request, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (test.isTest()) {
                    ids.add(test.getUniqueId());
                }
            }
        });
        try (PrintWriter out = new PrintWriter(arguments[0], "UTF-8")) {
            ids.forEach(id -> out.println(id + "\t" + TestNames.ofPlatform(id)));
        }
        System.exit(0);
    }

    /** Runs the tests of the file that a filter leaves. */
    public static final class OneByOne extends Runner implements Filterable {
        private final List<String> uniqueIds = new ArrayList<>();
        private final List<Integer> wanted = new ArrayList<>();

        public OneByOne(Class<?> testClass) throws IOException {
            for (String line : Files.readAllLines(Paths.get(System.getProperty("bridge.tests")), StandardCharsets.UTF_8)) {
                wanted.add(uniqueIds.size());
                uniqueIds.add(line.split("\t")[0]);
            }
        }

        @Override
        public Description getDescription() {
            Description all = Description.createSuiteDescription(JupiterBridge.class);
            wanted.forEach(test -> all.addChild(description(test)));
            return all;
        }

        @Override
        public void filter(Filter filter) {
            wanted.removeIf(test -> !filter.shouldRun(description(test)));
        }

        @Override
        public void run(RunNotifier notifier) {
            for (int test : wanted) {
                Description description = description(test);
                notifier.fireTestStarted(description);
                LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                        .selectors(DiscoverySelectors.selectUniqueId(uniqueIds.get(test))).build();
                List<TestExecutionResult> results = new ArrayList<>();
                LauncherFactory.create().execute(request, new TestExecutionListener() {
                    @Override
                    public void executionFinished(TestIdentifier each, TestExecutionResult result) {
                        if (each.isTest() || result.getStatus() == TestExecutionResult.Status.FAILED) {
                            results.add(result);
                        }
                    }
                });
                if (results.isEmpty()) {
                    notifier.fireTestFailure(new Failure(description, new IllegalStateException("not found")));
                }
                for (TestExecutionResult result : results) {
                    if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                        notifier.fireTestFailure(new Failure(description, result.getThrowable().get()));
                    }
                }
                notifier.fireTestFinished(description);
            }
        }

        private static Description description(int test) {
            return Description.createTestDescription(JupiterBridge.class, "t" + test);
        }
    }
}
