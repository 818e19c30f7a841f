package fdc.junit;

import fdc.record.JUnitHooks;
import fdc.record.Outcome;
import fdc.record.Session;
import fdc.record.Session.Source;
import fdc.record.TestNames;
import java.util.Optional;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Tells the agent which test of the JUnit Platform is running; the Platform finds it by ServiceLoader. */
public final class PlatformListener implements TestExecutionListener {
    private final Session session = Session.get();
    private TestPlan plan;
    /** A test that itself runs tests: they are part of it. */
    private boolean inner;

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        this.plan = plan;
        inner = session == null || session.inTest();
        if (!inner) {
            session.planStarted();
            session.planned((int) plan.countTestIdentifiers(test -> test.isTest() && session.filter().wants(id(test))));
        }
    }

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        if (!inner) {
            session.planFinished();
        }
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (inner) {
            return;
        }
        if (test.isTest()) {
            session.begin(Source.PLATFORM, id(test));
        } else {
            String name = TestNames.ofContainer(test.getUniqueId());
            if (name != null) {
                session.classStarted(Source.PLATFORM, name);
            }
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (inner) {
            return;
        }
        Throwable error = result.getThrowable().orElse(null);
        String note = JUnitHooks.note(error);
        boolean failed = result.getStatus() == TestExecutionResult.Status.FAILED;
        if (test.isTest()) {
            if (failed) {
                session.judge(Source.PLATFORM, id(test), Outcome.FAIL, note, error);
            } else if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
                session.judge(Source.PLATFORM, id(test), Outcome.SKIP, note, error);
            }
            session.end(Source.PLATFORM, id(test));
            return;
        }
        if (failed) {
            containerFailed(test, note);
        } else if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
            skipBelow(test, note);
        }
        String name = TestNames.ofContainer(test.getUniqueId());
        if (name != null) {
            session.classEnded(name);
        }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        if (!inner) {
            skipBelow(test, reason);
        }
    }

    private void skipBelow(TestIdentifier test, String reason) {
        if (test.isTest()) {
            session.skipped(id(test), reason);
        }
        for (TestIdentifier below : plan.getChildren(test)) {
            skipBelow(below, reason);
        }
    }

    /** Set-up or tear-down failed: its tests that did not run count as failed. */
    private void containerFailed(TestIdentifier container, String note) {
        boolean any = false;
        for (TestIdentifier below : plan.getDescendants(container)) {
            if (below.isTest() && !session.isReported(id(below))) {
                session.failedInSetUp(Source.PLATFORM, id(below), "the set-up of the class failed: " + note);
                any = true;
            }
        }
        if (!any) {
            Optional<TestIdentifier> parent = plan.getParent(container);
            session.trouble((parent.isPresent() ? id(container) : container.getDisplayName())
                    + " failed outside of its tests: " + note);
        }
    }

    private static String id(TestIdentifier test) {
        return TestNames.ofPlatform(test.getUniqueId());
    }
}
