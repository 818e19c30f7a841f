package fdc.record;

import java.io.File;
import java.math.BigDecimal;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Which test is running, and what it covers.
 *
 * <p>While tests run one at a time every hit, of whatever thread, belongs to the running test. From
 * the moment that two tests, or two classes of tests, are under way at once, hits belong to the test
 * of their thread, and a thread belongs to the test of the thread that made it. Hits of threads that
 * belong to no test are counted nowhere; how many lines that was is said at the end.
 *
 * <p>Set-up of a class: what runs between the start of a class of tests and its first test
 * ({@code @BeforeAll}, {@code @BeforeClass}, class rules) counts for every test of the class and of
 * the classes nested in it. The same holds for a parameterised test or a factory and its invocations.
 * What runs later between two tests of a class (Jupiter makes the test instance there) counts for
 * the test that comes next. What runs after the last one counts nowhere.
 *
 * <p>A test that begins on a thread that belongs to an open test is part of that test: JUnit 3 inside
 * JUnit 4 inside the Platform report each test up to three times, and the outermost counts. Only
 * the Platform may begin a test inside a test, when a waiting worker takes another one over.
 */
public final class Session {
    /** Who reports a test. */
    public enum Source {
        PLATFORM,
        JUNIT4,
        JUNIT3
    }

    private static final int EXIT_TIMEOUT = 75;
    private static Session session;

    private final Plan plan;
    private final Spool spool;
    private final Map<String, OpenTest> open = new LinkedHashMap<>();
    private final Set<TestClass> classes = new LinkedHashSet<>();
    private final Map<String, TestClass> classesByName = new HashMap<>();
    private final Set<String> reported = new java.util.HashSet<>();
    private final AtomicReference<Runnable> beforeFirstTest = new AtomicReference<>();
    private int plansUnderWay;
    private boolean over;
    private static volatile OpenTest onlyTest;

    private Session(Plan plan, Spool spool) {
        this.plan = plan;
        this.spool = spool;
    }

    /** From now on these tests alone are wanted, as often as they like, each within its limit in seconds. */
    public static synchronized void renew(Map<String, Double> limits) {
        session = new Session(session.plan.of(limits), session.spool);
        onlyTest = null;
    }

    /** Starts the session of this JVM; the task is run once, before the first class of tests. */
    public static synchronized void start(Plan plan, File folder, Runnable beforeFirstTest) {
        session = new Session(plan, new Spool(folder));
        session.beforeFirstTest.set(beforeFirstTest);
        Thread hook = new Thread(null, () -> get().exit(), "fdc-exit");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The session of this JVM. */
    public static synchronized Session get() {
        return session;
    }

    /** Which tests to run. */
    public Filter filter() {
        return plan.filter;
    }

    /** Something a person should know; said when the first test begins. */
    public void trouble(String message) {
        spool.trouble(message);
    }

    /** Something a person should know although no test may ever begin. */
    public void urgentTrouble(String message) {
        spool.urgentTrouble(message);
    }

    /** Whether the current thread belongs to an open test. */
    public boolean inTest() {
        return ThreadState.current().test() != null;
    }

    /** So many tests are about to be run; the numbers of several calls add up. */
    public synchronized void planned(int tests) {
        if (tests > 0 && !over) {
            spool.planned(tests);
        }
    }

    /** A test plan of the Platform begins. */
    public synchronized void planStarted() {
        plansUnderWay++;
    }

    /** A test plan of the Platform has been carried out. */
    public synchronized void planFinished() {
        plansUnderWay--;
    }

    /** Whether the Platform is in charge. */
    public synchronized boolean planUnderWay() {
        return plansUnderWay > 0;
    }

    /** A class of tests, or a suite, begins on this thread. */
    public void classStarted(Source source, String name) {
        prepare();
        startClass(source, name);
    }

    private synchronized void startClass(Source source, String name) {
        ThreadState state = ThreadState.current();
        if (over || source != Source.PLATFORM && state.test() != null) {
            return;
        }
        TestClass outer = source == Source.PLATFORM ? around(name) : state.testClass();
        for (TestClass other : classes) {
            if (!state.isIn(other)) {
                goParallel();
            }
        }
        if (!open.isEmpty()) {
            goParallel();
        }
        Lines before = takeBetween(state);
        if (outer != null && outer.takesHits()) {
            outer.setUp.add(before);
        }
        TestClass started = new TestClass(name, outer);
        if (TestNames.isMethod(name) && (outer == null || !outer.takesHits())) {
            started.setUp.add(before); // the instance that a factory is called on
        }
        classes.add(started);
        classesByName.put(name, started);
        state.push(started);
    }

    /** The class of tests that began on this thread under this name has ended. */
    public synchronized void classEnded(String name) {
        ThreadState state = ThreadState.current();
        TestClass ended = classesByName.get(name);
        TestClass innermost = state.testClass();
        if (innermost != null && innermost.name.equals(name)) {
            ended = innermost;
        }
        if (over || ended == null || state.test() != null) {
            return;
        }
        takeBetween(state);
        classes.remove(ended);
        classesByName.remove(name, ended);
        if (ended.outer != null && ended.outer.name.equals(name)) {
            classesByName.put(name, ended.outer);
        }
        state.pop(ended);
    }

    /** A test begins on this thread. */
    public void begin(Source source, String id) {
        prepare();
        beginTest(source, id);
    }

    private synchronized void beginTest(Source source, String id) {
        ThreadState state = ThreadState.current();
        if (over || source != Source.PLATFORM && state.test() != null) {
            return;
        }
        if (!open.isEmpty()) {
            goParallel();
        }
        TestClass testClass = testClass(source, state, id);
        OpenTest test = new OpenTest(id, plan.filter.wants(id), testClass, plan.limit(id));
        Lines between = takeBetween(state);
        if (testClass != null) {
            (testClass.takesHits() ? testClass.setUp : test.lines).add(between);
            testClass.endSetUp();
        }
        state.push(test);
        open.put(source + id, test);
        reported.add(id);
        onlyTest = Probes.parallel() ? null : test;
        if (test.wanted) {
            spool.begin(id);
            Watchdog.watch(this, test);
        }
    }

    /** The outcome of an open test; the first that is not a pass stands. */
    public synchronized void judge(Source source, String id, Outcome outcome, String note, Throwable error) {
        OpenTest test = open.get(source + id);
        if (test != null) {
            test.judge(outcome, note, outcome == Outcome.FAIL ? Trace.of(error) : null);
        }
    }

    /** A test ends, on the thread it began on. */
    public synchronized void end(Source source, String id) {
        OpenTest test = open.get(source + id);
        if (test != null && !over) {
            end(source + id, test);
            ThreadState state = ThreadState.current();
            state.pop(test);
            state.takeStrays();
        }
    }

    /** A test that is not run at all. */
    public synchronized void skipped(String id, String reason) {
        instead(id, Outcome.SKIP, reason, null);
    }

    /** Whether a test of this name has been reported by this JVM. */
    public synchronized boolean isReported(String id) {
        return reported.contains(id);
    }

    /** A test that cannot run, for the set-up of its class failed: a failure that covers the set-up. */
    public synchronized void failedInSetUp(Source source, String id, String note) {
        TestClass testClass = testClass(source, ThreadState.current(), id);
        if (testClass != null && testClass.takesHits()) {
            testClass.setUp.add(takeBetween(ThreadState.current()));
            testClass.setUp.add(testClass.hits.take());
        }
        instead(id, Outcome.FAIL, note, testClass);
    }

    /** The one test that is running while tests run one at a time. */
    static OpenTest onlyTest() {
        return onlyTest;
    }

    /** The test took too long: it is reported as it stands, and the JVM ends. */
    synchronized void timedOut(OpenTest test) {
        if (over || !test.takesHits()) {
            return;
        }
        test.outcome = Outcome.FAIL;
        test.note = "timed out after " + BigDecimal.valueOf(test.limit).stripTrailingZeros().toPlainString() + " s";
        endOfJvm(test);
        Runtime.getRuntime().halt(EXIT_TIMEOUT);
    }

    private void exit() {
        // Before the lock is taken: a thread that waits in it is no cause of the exit.
        Thread cause = Exit.cause();
        synchronized (this) {
            if (over) {
                return;
            }
            if (open.isEmpty()) {
                int strays = Strays.count();
                if (strays > 0) {
                    spool.trouble("tests ran in parallel: " + strays + " lines ran on threads that belong to no"
                            + " test (threads of a pool that another test made, for one); they count for no test");
                }
                if (plansUnderWay == 0) {
                    spool.bye();
                }
                over = true;
                return;
            }
            OpenTest test = Exit.blame(cause, open.values());
            if (test != null) {
                test.outcome = Outcome.FAIL;
                test.note = "the test ended the JVM (System.exit)";
            }
            endOfJvm(test);
        }
    }

    /** Ends this test; the others that are open are to be run again. */
    private void endOfJvm(OpenTest guilty) {
        for (Map.Entry<String, OpenTest> each : new LinkedHashMap<>(open).entrySet()) {
            if (each.getValue() == guilty) {
                end(each.getKey(), guilty);
            } else if (guilty != null && each.getValue().wanted) {
                spool.abandoned(each.getValue().id);
            }
        }
        over = true;
    }

    private void end(String key, OpenTest test) {
        open.remove(key);
        test.end();
        onlyTest = null;
        if (!Probes.parallel() || test.ownsRows) {
            test.lines.add(Probes.take());
        }
        test.lines.add(test.hits.take());
        if (test.wanted) {
            double seconds = (System.nanoTime() - test.begun) / 1e9;
            report(test, seconds);
        }
    }

    private void report(OpenTest test, double seconds) {
        Lines lines = new Lines();
        lines.add(test.lines);
        BitSet initialised = new BitSet();
        test.addInitialised(initialised);
        for (TestClass each = test.testClass; each != null; each = each.outer) {
            lines.add(each.setUp);
            each.addInitialised(initialised);
        }
        Initialisers.complete(lines, TestNames.classOf(test.id), initialised);
        spool.end(test.id, test.outcome, seconds, lines, test.note, test.trace);
    }

    private void instead(String id, Outcome outcome, String note, TestClass testClass) {
        if (over || !plan.filter.wants(id) || !reported.add(id)) {
            return;
        }
        OpenTest test = new OpenTest(id, true, testClass, 0);
        test.judge(outcome, note, null);
        spool.begin(id);
        report(test, 0);
    }

    private void goParallel() {
        if (Probes.parallel()) {
            return;
        }
        Probes.goParallel();
        onlyTest = null;
        Lines soFar = Probes.take();
        if (!open.isEmpty()) {
            // A hit that was under way just now still lands in the rows.
            OpenTest running = open.values().iterator().next();
            running.lines.add(soFar);
            running.ownsRows = true;
        } else {
            TestClass last = null;
            for (TestClass each : classes) {
                last = each;
            }
            if (last != null && last.takesHits()) {
                last.setUp.add(soFar);
            }
        }
    }

    /** What ran since the last test or class began or ended. */
    private Lines takeBetween(ThreadState state) {
        return Probes.parallel() ? state.takeStrays() : Probes.take();
    }

    private TestClass testClass(Source source, ThreadState state, String id) {
        TestClass innermost = state.testClass();
        return source == Source.PLATFORM || innermost == null ? around(id) : innermost;
    }

    /** What is under way around a test, a nested class or an invocation, by its name. */
    private TestClass around(String name) {
        for (int end = name.length() - 1; end > 0; end--) {
            char letter = name.charAt(end);
            if (letter == '#' || letter == '$' || letter == '[') {
                TestClass outer = classesByName.get(name.substring(0, end));
                if (outer != null) {
                    return outer;
                }
            }
        }
        return null;
    }

    /** Not under the lock, for it loads classes. */
    private void prepare() {
        Runnable task = beforeFirstTest.get() == null ? null : beforeFirstTest.getAndSet(null);
        if (task != null) {
            task.run();
        }
    }
}
