package fdc.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** To which test a line that runs is given. */
class AttributionTest {
    @TempDir
    Path folder;

    @Test
    void staticInitialisersCountForEveryTestThatNeedsThem() throws Exception {
        Project project = new Project(folder).fixture("initialisers");
        Report report = project.run();
        assertEquals(Set.of("pass"), Set.copyOf(report.outcomes().values()), report.output());
        for (String file : new String[] {"Config", "Base", "Parts", "Reader", "Broken", "Fixture"}) {
            Expectation.check(project, file + ".java", report, "InitialiserTest");
        }
    }

    @Test
    void setUpOfAClassCountsForEachOfItsTests() throws Exception {
        Project project = new Project(folder).fixture("setup").junit(Jars.VINTAGE);
        Report report = project.run();
        Expectation.check(project, "Database.java", report, "JUnit4SetUpTest");
        Expectation.check(project, "Database.java", report, "JupiterSetUpTest");
    }

    @Test
    void setUpOfAClassCountsWithoutThePlatform() throws Exception {
        Project project = new Project(folder).fixture("setup");
        project.sources().remove("JupiterSetUpTest.java");
        Expectation.check(project, "Database.java", project.run(), "JUnit4SetUpTest");
    }

    @Test
    void whatOnlyPutsAFailureIntoWordsCountsForNoTest() throws Exception {
        Project project = new Project(folder).fixture("words").junit(Jars.VINTAGE);
        Report report = project.run();
        assertEquals(8 + 7 + 4, report.outcomes().values().stream().filter("fail"::equals).count(), report.output());
        String note = report.tests().get("JUnit4WordsTest#equal").note();
        assertEquals("java.lang.AssertionError: expected:<Coin 1> but was:<Coin 2>", note);
        Expectation.check(project, "Coin.java", report, "JUnit4WordsTest");
        Expectation.check(project, "Coin.java", report, "JUnit3WordsTest");
        Expectation.check(project, "Coin.java", report, "JupiterWordsTest");
    }

    @Test
    void wordsCountForNoTestWithoutThePlatform() throws Exception {
        Project project = new Project(folder).fixture("words");
        project.sources().remove("JupiterWordsTest.java");
        Expectation.check(project, "Coin.java", project.run(), "JUnit4WordsTest");
    }

    @Test
    void parallelClassesDoNotMix() throws Exception {
        StringBuilder code = new StringBuilder("public class Code {\n");
        for (String name : new String[] {"a", "b"}) {
            code.append("  static int ").append(name).append("() {\n    int sum = 0;\n");
            code.append("    for (int i = 0; i < 1000; i++) {\n      sum += i;\n    }\n    return sum;\n  }\n");
            code.append("  static int setUp_").append(name).append("() {\n    return 1;\n  }\n");
            code.append("  static int thread_").append(name).append("() {\n    return 1;\n  }\n");
        }
        code.append("}\n");
        Project project = new Project(folder).junit(Jars.JUPITER).source("Code.java", code.toString())
                .source("Meeting.java", """
                import java.util.concurrent.CyclicBarrier;
                public class Meeting {
                    static final CyclicBarrier BARRIER = new CyclicBarrier(2);
                    static void meet() {
                        try {
                            BARRIER.await(60, java.util.concurrent.TimeUnit.SECONDS);
                        } catch (Exception error) {
                            throw new IllegalStateException(error);
                        }
                    }
                }
                """);
        for (String name : new String[] {"a", "b"}) {
            project.source(name.toUpperCase() + "Test.java", """
                import org.junit.jupiter.api.*;
                class NAMETest {
                    @BeforeAll static void open() {
                        Meeting.meet();
                        Code.setUp_CALL();
                        Meeting.meet();
                    }
                    @Test void one() throws Exception {
                        Meeting.meet();
                        Code.CALL();
                        Thread thread = new Thread(Code::thread_CALL);
                        thread.start();
                        thread.join();
                        Meeting.meet();
                    }
                    @Test void two() {
                        Meeting.meet();
                        Code.CALL();
                        Meeting.meet();
                    }
                }
                """.replace("NAME", name.toUpperCase()).replace("CALL", name));
        }
        Report report = project.jvm("-Djunit.jupiter.execution.parallel.enabled=true",
                "-Djunit.jupiter.execution.parallel.mode.classes.default=concurrent",
                "-Djunit.jupiter.execution.parallel.config.strategy=fixed",
                "-Djunit.jupiter.execution.parallel.config.fixed.parallelism=2").run();
        assertEquals(Set.of("pass"), Set.copyOf(report.outcomes().values()), report.output());
        String[] lines = code.toString().split("\n");
        for (String name : new String[] {"a", "b"}) {
            for (String test : new String[] {"one", "two"}) {
                Set<Integer> covered = report.lines(name.toUpperCase() + "Test#" + test, "Code.java");
                int start = line(lines, "int " + name + "()");
                assertTrue(covered.containsAll(Set.of(start + 1, start + 2, start + 3, start + 5)), covered.toString());
                assertTrue(covered.contains(line(lines, "setUp_" + name) + 1), covered.toString());
                assertEquals(test.equals("one"), covered.contains(line(lines, "thread_" + name) + 1));
                assertEquals(test.equals("one") ? 6 : 5, covered.size(), covered.toString());
            }
        }
    }

    @Test
    void hitsOfNobodysThreadsAreCountedNowhereAndSaid() throws Exception {
        Report report = new Project(folder).junit(Jars.JUPITER)
                .source("Code.java", "public class Code {\n  static int f() {\n    return 1;\n  }\n}\n")
                .source("PoolTest.java", """
                import java.util.concurrent.*;
                import org.junit.jupiter.api.*;
                import org.junit.jupiter.api.parallel.*;
                @Execution(ExecutionMode.CONCURRENT)
                class PoolTest {
                    static final ExecutorService POOL = Executors.newFixedThreadPool(1);
                    static final CyclicBarrier BARRIER = new CyclicBarrier(2);
                    static {
                        try {
                            POOL.submit(Thread::yield).get();
                        } catch (Exception error) {
                            throw new IllegalStateException(error);
                        }
                    }
                    @Test void one() throws Exception {
                        BARRIER.await();
                        BARRIER.await();
                    }
                    @Test void two() throws Exception {
                        BARRIER.await();
                        POOL.submit(Code::f).get();
                        BARRIER.await();
                    }
                    @AfterAll static void close() {
                        POOL.shutdown();
                    }
                }
                """).jvm("-Djunit.jupiter.execution.parallel.enabled=true",
                "-Djunit.jupiter.execution.parallel.config.strategy=fixed",
                "-Djunit.jupiter.execution.parallel.config.fixed.parallelism=2").run();
        assertEquals(Set.of("pass"), Set.copyOf(report.outcomes().values()), report.output());
        assertEquals(Set.of(), report.tests().get("PoolTest#two").lines());
        assertTrue(report.troubles().toString().contains("1 lines ran on threads that belong to no test"),
                report.troubles() + report.output());
    }

    private static int line(String[] lines, String text) {
        for (int i = 0; i < lines.length; i++) {
            if (lines[i].contains(text)) {
                return i + 1;
            }
        }
        throw new AssertionError(text);
    }
}
