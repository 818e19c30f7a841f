package fdc.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a fixture says about itself: a line that ends with {@code //: a b} is covered by the tests
 * {@code a} and {@code b}, all other lines by none. Tests that were not run are left out.
 */
final class Expectation {
    private static final String MARK = "//:";

    private Expectation() {}

    /** Compares a fixture's file with the report, for the tests of this class. */
    static void check(Project project, String file, Report report, String testClass) {
        Map<Integer, Set<String>> expected = new TreeMap<>();
        String[] lines = project.sources().get(file).split("\n", -1);
        for (int number = 1; number <= lines.length; number++) {
            int mark = lines[number - 1].indexOf(MARK);
            if (mark >= 0) {
                Set<String> tests = new TreeSet<>(Set.of(lines[number - 1].substring(mark + MARK.length()).trim().split(" +")));
                tests.removeIf(test -> !report.tests().containsKey(testClass + "#" + test));
                if (!tests.isEmpty()) {
                    expected.put(number, tests);
                }
            }
        }
        Map<Integer, Set<String>> found = new TreeMap<>();
        for (String test : report.tests().keySet()) {
            if (test.startsWith(testClass + "#")) {
                for (int line : report.lines(test, file)) {
                    found.computeIfAbsent(line, l -> new TreeSet<>()).add(test.substring(testClass.length() + 1));
                }
            }
        }
        assertEquals(text(expected, lines), text(found, lines), report.output());
    }

    private static String text(Map<Integer, Set<String>> covered, String[] lines) {
        StringBuilder text = new StringBuilder();
        covered.forEach((line, tests) -> text.append(line).append(": ").append(tests).append("  ")
                .append(lines[line - 1].trim()).append('\n'));
        return text.toString();
    }
}
