package fdc.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that hang or end the JVM, and tests that are left out. */
class EndingsTest {
    private static final String CODE = """
            public class Code {
                static int before() {
                    return 1;
                }
                static void forever() {
                    while (before() > 0) {
                        before();
                    }
                }
            }
            """;

    @TempDir
    Path folder;

    @Test
    void aTestThatTakesTooLongEndsTheJvm() throws Exception {
        Project project = new Project(folder).source("Code.java", CODE).source("HangTest.java", """
                import org.junit.*;
                import org.junit.runners.MethodSorters;
                @FixMethodOrder(MethodSorters.NAME_ASCENDING)
                public class HangTest {
                    @Test public void a() { Code.before(); }
                    @Test public void b() { Code.forever(); }
                    @Test public void c() { Code.before(); }
                }
                """);
        Report report = project.plan("timeout 1.5").run();
        assertEquals(75, report.exitCode(), report.output());
        assertEquals("fail", report.outcomes().get("HangTest#b"));
        assertEquals("timed out after 1.5 s", report.tests().get("HangTest#b").note());
        assertEquals(Set.of(3, 6, 7), report.lines("HangTest#b", "Code.java"));
        assertFalse(report.saidBye());
        assertFalse(report.tests().containsKey("HangTest#c"));
        Report rest = project.plan("skip HangTest#a", "skip HangTest#b").run();
        assertEquals(Set.of("HangTest#c"), rest.tests().keySet(), rest.output());
        assertTrue(rest.saidBye());
    }

    @Test
    void systemExitInATestIsItsFailure() throws Exception {
        Report report = new Project(folder).source("Code.java", CODE).source("ExitTest.java", """
                import org.junit.Test;
                public class ExitTest {
                    @Test public void exits() { Code.before(); System.exit(0); }
                }
                """).run();
        assertEquals("fail", report.outcomes().get("ExitTest#exits"), report.output());
        assertTrue(report.tests().get("ExitTest#exits").note().contains("System.exit"));
        assertEquals(Set.of(3), report.lines("ExitTest#exits", "Code.java"));
        assertFalse(report.saidBye());
    }

    @Test
    void aDeadlyInvocationIsNotRunAgain() throws Exception {
        Project project = new Project(folder).junit(Jars.JUPITER).source("Code.java", CODE).source("EachTest.java", """
                import org.junit.jupiter.params.ParameterizedTest;
                import org.junit.jupiter.params.provider.ValueSource;
                class EachTest {
                    @ParameterizedTest @ValueSource(ints = {1, 2, 3}) void each(int number) {
                        Code.before();
                        if (number == 2) System.exit(0);
                    }
                }
                """);
        Report report = project.run();
        assertEquals("{EachTest#each(int)[1]=pass, EachTest#each(int)[2]=fail}", report.outcomes().toString());
        Report rest = project.plan("skip EachTest#each(int)[1]", "skip EachTest#each(int)[2]").run();
        assertEquals("{EachTest#each(int)[3]=pass}", rest.outcomes().toString(), rest.output());
        assertTrue(rest.saidBye());
    }

    @Test
    void onlyWhatIsAskedForIsRun() throws Exception {
        Project project = new Project(folder).fixture("jupiter").junit(Jars.VINTAGE);
        assertEquals(Set.of("KindsTest#small(int)[2]", "KindsTest#passes", "OldTest#old[a b]", "PlainTest#testPasses"),
                project.plan("only *#small(int)[2]", "only asses", "only OldTest#*", "exclude *c(d)*").run().tests().keySet());
        assertEquals(Set.of("KindsTest$Inner$Deeper#deep"),
                project.freshPlan().plan("only KindsTest$Inner*", "skip KindsTest$Inner#inside").run().tests().keySet());
    }

    @Test
    void shardsDivideTheClasses() throws Exception {
        Project project = new Project(folder).fixture("junit4");
        Set<String> whole = project.run().tests().keySet();
        Set<String> first = project.freshPlan().plan("shard 0 2").run().tests().keySet();
        Set<String> second = project.freshPlan().plan("shard 1 2").run().tests().keySet();
        Set<String> both = new java.util.TreeSet<>(first);
        both.addAll(second);
        assertEquals(whole, both);
        assertEquals(whole.size(), first.size() + second.size());
        assertFalse(first.isEmpty() || second.isEmpty());
    }

    @Test
    void noTestsIsSaid() throws Exception {
        Report report = new Project(folder).source("Code.java", CODE).source("NothingTest.java", "class NothingTest {}").run();
        assertEquals(3, report.exitCode());
        assertTrue(report.events().isEmpty());
    }
}
