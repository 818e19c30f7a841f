package fdc.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every kind of test: what it is called and how it ends. */
class FlavoursTest {
    private static final Map<String, String> PLAIN =
            Map.of("PlainTest#testPasses", "pass", "PlainTest#testFails", "fail", "PlainTest#testThrows", "fail");

    @TempDir
    Path folder;

    @Test
    void junit3() throws Exception {
        Report report = new Project(folder).fixture("junit3").junit(Jars.JUNIT3).run();
        check(Map.of("NamedTest#testNamed", "pass"), report);
        assertEquals("java.lang.IllegalStateException: odd", report.tests().get("PlainTest#testThrows").note());
        assertEquals(1, report.exitCode());
        assertTrue(report.saidBye());
    }

    @Test
    void junit4() throws Exception {
        Report report = new Project(folder).fixture("junit4").run();
        check(Map.of("OutcomesTest#passes", "pass", "OutcomesTest#fails", "fail", "OutcomesTest#ignored", "skip",
                "OutcomesTest#assumes", "skip", "OutcomesTest#inThreadOfItsOwn", "pass", "EachTest#small[0]", "pass",
                "EachTest#small[1]", "fail", "BrokenSetUpTest#never", "fail", "OuterTest$Inner#inside", "pass",
                "RunsTestsTest#runsAnother", "pass"), report, "RunsTestsTest$NotPickedUp#inner", "fail");
        assertEquals("java.lang.AssertionError: as told", report.tests().get("OutcomesTest#fails").note());
        assertTrue(report.tests().get("BrokenSetUpTest#never").note().contains("no database"));
        assertEquals(14, report.events().get(0).get("tests").getAsInt() , report.events().get(0).toString());
    }

    @Test
    void junit4AndJUnit3UnderThePlatform() throws Exception {
        Report report = new Project(folder).fixture("junit4").junit(Jars.VINTAGE).run();
        check(Map.of("OutcomesTest#passes", "pass", "OutcomesTest#fails", "fail", "OutcomesTest#ignored", "skip",
                "OutcomesTest#assumes", "skip", "OutcomesTest#inThreadOfItsOwn", "pass", "EachTest#small[0]", "pass",
                "EachTest#small[1]", "fail", "BrokenSetUpTest#never", "fail", "OuterTest$Inner#inside", "pass",
                "RunsTestsTest#runsAnother", "pass"), report, "RunsTestsTest$NotPickedUp#inner", "fail");
        assertEquals(report.tests().size(), report.texts("end", "test").size(), "each once");
    }

    @Test
    void platform() throws Exception {
        Report report = new Project(folder).fixture("jupiter").junit(Jars.VINTAGE).run();
        Map<String, String> expected = new TreeMap<>(Map.of("KindsTest#passes", "pass", "KindsTest#fails", "fail",
                "KindsTest#disabled", "skip", "KindsTest#assumes", "skip", "KindsTest#withInfo(TestInfo)", "pass",
                "KindsTest#small(int)[1]", "pass", "KindsTest#small(int)[2]", "fail", "KindsTest#small(int,String)[1]", "pass",
                "KindsTest#again[1]", "pass", "KindsTest#again[2]", "pass"));
        expected.putAll(Map.of("KindsTest#made[1]", "pass", "KindsTest#made[2][1]", "fail", "KindsTest$Inner#inside", "pass",
                "KindsTest$Inner$Deeper#deep", "pass", "BrokenSetUpTest#never", "fail", "OldTest#old[a b]", "pass",
                "OldTest#old[c(d)]", "fail"));
        check(expected, report);
        assertEquals(report.tests().size(), report.texts("end", "test").size(), "each once");
        assertTrue(report.saidBye());
    }

    @Test
    void jupiterWithoutALauncherSaysWhatIsMissing() throws Exception {
        String without = String.join(java.io.File.pathSeparator,
                java.util.Arrays.stream(Jars.JUPITER.split(java.io.File.pathSeparator))
                        .filter(jar -> !jar.contains("launcher")).toList());
        Project project = new Project(folder).fixture("setup").junit(without);
        project.sources().remove("JUnit4SetUpTest.java");
        Report report = project.run();
        assertEquals(4, report.exitCode(), report.output());
        assertTrue(report.output().contains("org.junit.platform:junit-platform-launcher:1.14.1"), report.output());
        assertTrue(report.events().isEmpty());
    }

    @Test
    void listedTestsAreNotRun() throws Exception {
        Report report = new Project(folder).fixture("jupiter").junit(Jars.VINTAGE).run("--list");
        assertTrue(report.events().isEmpty(), report.events().toString());
        for (String id : new String[] {"KindsTest#passes", "KindsTest#small(int)[*]", "OldTest#old[a b]", "PlainTest#testPasses"}) {
            assertTrue(report.output().lines().anyMatch(id::equals), report.output());
        }
        assertEquals(0, report.exitCode());
    }

    private static void check(Map<String, String> expected, Report report, String... more) {
        Map<String, String> all = new TreeMap<>(expected);
        all.putAll(PLAIN);
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        assertEquals(all, report.outcomes(), report.output());
        assertFalse(report.texts("begin", "test").isEmpty());
    }
}
