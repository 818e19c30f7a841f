package fdc.junit;

import fdc.record.JUnitHooks;
import fdc.record.TestNames;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import org.junit.platform.engine.TestEngine;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Tests run by the JUnit Platform. */
final class PlatformRun {
    private final LauncherDiscoveryRequest request;

    private PlatformRun(LauncherDiscoveryRequest request) {
        this.request = request;
    }

    /** All tests in folders and jars, without these suites. */
    static PlatformRun ofPaths(List<Path> paths, Collection<String> suites) {
        LauncherDiscoveryRequestBuilder builder = LauncherDiscoveryRequestBuilder.request();
        builder.selectors(DiscoverySelectors.selectClasspathRoots(new LinkedHashSet<>(paths)));
        for (String suite : suites) {
            builder.filters(ClassNameFilter.excludeClassNamePatterns(Pattern.quote(suite)));
        }
        return new PlatformRun(builder.build());
    }

    /** The tests of these classes. */
    static PlatformRun ofClasses(List<Class<?>> classes) {
        LauncherDiscoveryRequestBuilder builder = LauncherDiscoveryRequestBuilder.request();
        for (Class<?> each : classes) {
            builder.selectors(DiscoverySelectors.selectClass(each));
        }
        return new PlatformRun(builder.build());
    }

    boolean hasVintage() {
        for (TestEngine engine : ServiceLoader.load(TestEngine.class)) {
            if (engine.getId().equals("junit-vintage")) {
                return true;
            }
        }
        return false;
    }

    void run(Tally tally) {
        Launcher launcher = LauncherFactory.create();
        if (!tally.listsOnly()) {
            launcher.execute(request, new Counter(tally));
            return;
        }
        TestPlan plan = launcher.discover(request);
        for (TestIdentifier root : plan.getRoots()) {
            for (TestIdentifier test : plan.getDescendants(root)) {
                String id = TestNames.ofPlatform(test.getUniqueId());
                if (test.isTest()) {
                    tally.listed(id);
                } else if (id.indexOf('#') >= 0 && plan.getChildren(test).isEmpty()) {
                    // How many there are is known only when they run.
                    tally.listed(id + "[*]");
                }
            }
        }
    }

    /** Counts what has been run. */
    private static final class Counter implements TestExecutionListener {
        private final Tally tally;

        Counter(Tally tally) {
            this.tally = tally;
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            tally.ran();
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest()) {
                tally.ran();
            }
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                String note = result.getThrowable().map(JUnitHooks::note).orElse(null);
                tally.failed(TestNames.ofPlatform(test.getUniqueId()), note);
            }
        }
    }
}
