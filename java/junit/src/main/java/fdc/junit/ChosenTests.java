package fdc.junit;

import fdc.record.TestNames;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;

/** Runs tests by their names: JUnit gets their classes, and the session leaves out the others. */
final class ChosenTests {
    private ChosenTests() {}

    static void run(Collection<String> tests, ClassLoader loader) {
        TreeSet<String> names = new TreeSet<>();
        for (String test : tests) {
            names.add(TestNames.classOf(test));
        }
        List<Class<?>> all = new ArrayList<>();
        for (String name : names) {
            Class<?> found = load(name, loader);
            if (found != null && !all.contains(found)) {
                all.add(found);
            }
        }
        Tally tally = new Tally(false);
        TestScan scan = TestScan.of(all);
        List<Class<?>> rest = scan.oldTests();
        if (Present.platform()) {
            PlatformRun run = PlatformRun.ofClasses(withoutNested(all));
            run.run(tally);
            rest = run.hasVintage() ? Collections.<Class<?>>emptyList() : rest;
        }
        if (!rest.isEmpty() && Present.junit4()) {
            JUnit4Run.run(rest, tally);
        } else if (!rest.isEmpty()) {
            JUnit3Run.run(rest, tally);
        }
    }

    /** Jupiter runs inner classes by way of the outermost one. */
    private static List<Class<?>> withoutNested(List<Class<?>> all) {
        List<Class<?>> outermost = new ArrayList<>();
        for (Class<?> each : all) {
            Class<?> outer = each;
            while (outer.isMemberClass() && !java.lang.reflect.Modifier.isStatic(outer.getModifiers())) {
                outer = outer.getDeclaringClass();
            }
            if (!outermost.contains(outer)) {
                outermost.add(outer);
            }
        }
        return outermost;
    }

    private static Class<?> load(String name, ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError absent) {
            return null;
        }
    }
}
