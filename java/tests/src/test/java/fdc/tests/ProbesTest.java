package fdc.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which lines are covered, in class files of every version. */
class ProbesTest {
    @TempDir
    Path folder;

    /** Releases with class file versions of their own, up to that of the running JVM. */
    static IntStream releases() {
        return IntStream.of(8, 9, 11, 17, 21, 25).filter(release -> release <= Runtime.version().feature());
    }

    @ParameterizedTest
    @MethodSource("releases")
    void everyLineThatRunsIsCoveredAndNoOther(int release) throws Exception {
        Project project = new Project(folder).fixture("probes").release(release);
        Report report = project.run();
        assertEquals(Set.of("pass"), Set.copyOf(report.outcomes().values()), report.output());
        Expectation.check(project, "Shapes.java", report, "ShapesTest");
        assertTrue(report.saidBye());
        assertEquals(0, report.exitCode());
    }

    @Test
    void newerLanguage() throws Exception {
        Project project = new Project(folder).fixture("modern").release(17);
        Report report = project.run();
        assertEquals(Set.of("pass"), Set.copyOf(report.outcomes().values()), report.output());
        Expectation.check(project, "Modern.java", report, "ModernTest");
    }

    @Test
    void functionsAreNamedAsInSource() throws Exception {
        Report report = new Project(folder).fixture("probes").run();
        assertTrue(report.functions().containsAll(Set.of("Shapes#Shapes()", "Shapes#Shapes(int)", "Shapes#fails(int[])",
                "Shapes#switches(java.lang.String,int)", "Shapes#lambdas(boolean)", "Shapes$Greeter#greet()",
                "Shapes$Greeter#<clinit>()", "Shapes$Colour#<clinit>()", "Shapes$Colour$1#rank()",
                "Shapes$Box#compareTo(Shapes$Box)")), report.functions().toString());
        assertTrue(report.functions().stream().noneMatch(name -> name.contains("lambda$") || name.contains("values")
                || name.contains("compareTo(java.lang.Object)")), report.functions().toString());
    }

    @Test
    void methodTooLargeForProbesIsSaidAndStillRuns() throws Exception {
        StringBuilder text = new StringBuilder("public class Large {\n  static int f(int[] a) {\n");
        for (int i = 0; i < 8000; i++) {
            text.append("    a[0] += 1;\n");
        }
        text.append("    return a[0];\n  }\n}\n");
        Report report = new Project(folder).source("Large.java", text.toString()).source("Small.java",
                "class Small {\n  static int g() {\n    return 1;\n  }\n}\n").source("LargeTest.java", """
                import static org.junit.Assert.assertEquals;
                public class LargeTest {
                    @org.junit.Test public void runs() {
                        assertEquals(8000 + Small.g(), Large.f(new int[2]) + 1);
                    }
                }
                """).run();
        assertEquals("pass", report.outcomes().get("LargeTest#runs"), report.output());
        assertEquals(Set.of("Small.java:3"), report.tests().get("LargeTest#runs").lines());
        assertTrue(report.troubles().toString().contains("class Large has no probes: its method f would be too large"),
                report.troubles().toString());
    }

    @Test
    void classesOfNamedModulesAreMeasured() throws Exception {
        Project project = new Project(folder).release(9)
                .source("module-info.java", "module shop { exports org.shop; }")
                .source("org/shop/Shop.java", "package org.shop;\npublic class Shop {\n  public static int open() {\n"
                        + "    return 1;\n  }\n}\n")
                .source("org/shop/ShopTest.java", """
                package org.shop;
                import static org.junit.Assert.*;
                public class ShopTest {
                    @org.junit.Test public void opens() throws Exception {
                        Class<?> shop = ModuleLayer.boot().findModule("shop").get().getClassLoader()
                                .loadClass("org.shop.Shop");
                        assertEquals("shop", shop.getModule().getName());
                        assertEquals(1, shop.getMethod("open").invoke(null));
                    }
                }
                """.replace("package org.shop;", "package org.test;"));
        Report report = project.jvm("--module-path", project.classes().toString(), "--add-modules", "shop").run();
        assertEquals("pass", report.outcomes().get("org.test.ShopTest#opens"), report.output());
        assertEquals(Set.of("org/shop/Shop.java:4"), report.tests().get("org.test.ShopTest#opens").lines());
    }

    @Test
    void withoutMeasuringThereAreOutcomesOnly() throws Exception {
        Report report = new Project(folder).fixture("probes").plan("measure no").run();
        assertEquals(21, report.tests().size(), report.output());
        assertTrue(report.functions().isEmpty());
    }
}
