package fdc.record;

import fdc.record.Session.Source;
import java.util.List;

/**
 * What the classes of JUnit 3 and 4, wherever they are loaded, are made to call.
 *
 * <p>JUnit may be in any class loader, so its objects are looked at by reflection. A hook never
 * throws: a test must not fail because it is measured.
 *
 * <p>A start is seen when JUnit has told its own listeners, an end before it tells them. So when
 * JUnit 4 runs inside the Platform, or JUnit 3 inside JUnit 4, the outer one is seen first.
 */
public final class JUnitHooks {
    private JUnitHooks() {}

    /** {@code RunNotifier.fireTestRunStarted}. */
    public static void runStarted(Object description) {
        Session session = Session.get();
        if (session.planUnderWay() || session.inTest() || description == null) {
            return;
        }
        session.planned(countWanted(session, description));
    }

    /** Entry of {@code ParentRunner.run}; true when none of its tests is to be run. */
    public static boolean runnerStarted(Object runner) {
        Session session = Session.get();
        if (session.inTest()) {
            return false;
        }
        if (!session.filter().isTrivial()) {
            Object description = get(runner, "getDescription");
            if (description != null && countTests(description) > 0 && countWanted(session, description) == 0) {
                return true;
            }
        }
        session.classStarted(Source.JUNIT4, runnerName(runner));
        return false;
    }

    /** Exit of {@code ParentRunner.run}. */
    public static void runnerFinished(Object runner) {
        Session.get().classEnded(runnerName(runner));
    }

    /** Entry of {@code ParentRunner.runLeaf}; true when the test is not to be run. */
    public static boolean refuses(Object description) {
        Session session = Session.get();
        return !session.inTest() && !session.filter().wants(id(description));
    }

    /** {@code RunNotifier.fireTestStarted}. */
    public static void started(Object description) {
        Session.get().begin(Source.JUNIT4, id(description));
    }

    /** {@code RunNotifier.fireTestFailure}; a class's own description when its set-up or tear-down failed. */
    public static void failed(Object failure) {
        Session session = Session.get();
        Object description = get(failure, "getDescription");
        Throwable error = (Throwable) get(failure, "getException");
        String note = note(error);
        session.judge(Source.JUNIT4, id(description), Outcome.FAIL, note, error);
        List<?> children = children(description);
        if (!children.isEmpty() && !session.inTest() && !session.planUnderWay()) {
            boolean any = failChildren(session, children, "the set-up of the class failed: " + note);
            if (!any) {
                session.trouble(id(description) + " failed outside of its tests: " + note);
            }
        }
    }

    /** {@code RunNotifier.fireTestAssumptionFailed}. */
    public static void assumptionFailed(Object failure) {
        String id = id(get(failure, "getDescription"));
        Throwable error = (Throwable) get(failure, "getException");
        Session.get().judge(Source.JUNIT4, id, Outcome.SKIP, note(error), error);
    }

    /** {@code RunNotifier.fireTestIgnored}. */
    public static void ignored(Object description) {
        Session session = Session.get();
        if (!session.inTest() && !session.planUnderWay() && children(description).isEmpty()) {
            session.skipped(id(description), "ignored");
        }
    }

    /** {@code RunNotifier.fireTestFinished}. */
    public static void finished(Object description) {
        Session.get().end(Source.JUNIT4, id(description));
    }

    /** Entry of {@code TestResult.run}; true when the test is not to be run. */
    public static boolean refuses3(Object test) {
        Session session = Session.get();
        return !session.inTest() && !session.filter().wants(id3(test));
    }

    /** {@code TestResult.startTest}. */
    public static void started3(Object test) {
        Session.get().begin(Source.JUNIT3, id3(test));
    }

    /** {@code TestResult.addError} and {@code addFailure}. */
    public static void failed3(Object test, Throwable error) {
        Session.get().judge(Source.JUNIT3, id3(test), Outcome.FAIL, note(error), error);
    }

    /** {@code TestResult.endTest}. */
    public static void finished3(Object test) {
        Session.get().end(Source.JUNIT3, id3(test));
    }

    /** Entry of the Platform's {@code NodeTestTask.execute}; true when the test is not to be run. */
    public static boolean refusesNode(Object descriptor) {
        Session session = Session.get();
        Object isTest = get(descriptor, "isTest");
        return Boolean.TRUE.equals(isTest) && !session.inTest()
                && !session.filter().wants(TestNames.ofPlatform(String.valueOf(get(descriptor, "getUniqueId"))));
    }

    /** The first line of what went wrong. */
    public static String note(Throwable error) {
        if (error == null) {
            return null;
        }
        String message;
        Probes.pause();
        try {
            message = error.getMessage();
        } catch (RuntimeException odd) {
            message = null;
        } finally {
            Probes.resume();
        }
        String name = error.getClass().getName();
        if (message == null || message.trim().isEmpty()) {
            return name;
        }
        return name + ": " + message.trim().split("\\R", 2)[0].trim();
    }

    private static boolean failChildren(Session session, List<?> descriptions, String note) {
        boolean any = false;
        for (Object description : descriptions) {
            List<?> children = children(description);
            String id = id(description);
            if (!children.isEmpty()) {
                any |= failChildren(session, children, note);
            } else if (!session.isReported(id)) {
                session.failedInSetUp(Source.JUNIT4, id, note);
                any = true;
            }
        }
        return any;
    }

    private static int countTests(Object description) {
        Object count = get(description, "testCount");
        return count instanceof Integer ? (Integer) count : 0;
    }

    private static int countWanted(Session session, Object description) {
        List<?> children = children(description);
        if (children.isEmpty()) {
            String id = id(description);
            return id.indexOf('#') >= 0 && session.filter().wants(id) ? 1 : 0;
        }
        int count = 0;
        for (Object child : children) {
            count += countWanted(session, child);
        }
        return count;
    }

    private static String runnerName(Object runner) {
        Object testClass = get(runner, "getTestClass");
        Object name = testClass == null ? null : get(testClass, "getName");
        return name == null ? "null" : name.toString();
    }

    private static List<?> children(Object description) {
        Object children = description == null ? null : get(description, "getChildren");
        return children instanceof List ? (List<?>) children : java.util.Collections.emptyList();
    }

    private static String id(Object description) {
        return TestNames.ofDescription(String.valueOf(get(description, "getDisplayName")));
    }

    /** A JUnit 4 test that JUnit 3 runs is a facade with a Description. */
    private static String id3(Object test) {
        Object description = get(test, "getDescription");
        if (description != null) {
            return id(description);
        }
        Object name = get(test, "getName");
        if (name == null) {
            name = get(test, "name"); // before JUnit 3.8
        }
        return test.getClass().getName() + '#' + (name == null ? "runTest" : name);
    }

    /** What a public method without parameters gives; null when there is none or it fails. */
    private static Object get(Object object, String method) {
        return object == null ? null : Getters.get(object, method);
    }
}
