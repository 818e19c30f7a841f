package fdc.record;

import fdc.agent.Roots;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * What fdc asks for: the plan file, lines of {@code key value}.
 *
 * <p>The agent heeds {@code measure}, {@code launches}, {@code timeout}, {@code only}, {@code exclude},
 * {@code skip}, {@code shard} and {@code classes}; other keys are for others.
 */
public final class Plan {
    /** False: outcomes only, no class gets probes. */
    public final boolean measure;
    /** Where to tell how this JVM was started; null when nobody wants to know. */
    public final String launches;
    final Filter filter;
    /** Seconds a test may take; 0 when there is no limit. */
    private final double timeout;
    /** The same for single tests. */
    private final Map<String, Double> limits;

    private Plan(boolean measure, String launches, Filter filter, double timeout, Map<String, Double> limits) {
        this.measure = measure;
        this.launches = launches;
        this.filter = filter;
        this.timeout = timeout;
        this.limits = limits;
    }

    /** The same for these tests alone, with the seconds that each may take. */
    Plan of(Map<String, Double> tests) {
        return new Plan(measure, launches, Filter.exactly(tests.keySet()), timeout, tests);
    }

    /** Seconds that a test may take; 0 when there is no limit. */
    double limit(String id) {
        return limits.getOrDefault(id, timeout);
    }

    /** Reads a plan file. */
    public static Plan read(String file) throws IOException {
        Path path = Paths.get(file);
        List<String> lines = Files.readAllLines(path, StandardCharsets.UTF_8);
        boolean measure = true;
        String launches = null;
        double timeout = 0;
        Filter.Builder filter = new Filter.Builder();
        for (int number = 1; number <= lines.size(); number++) {
            String line = lines.get(number - 1);
            int blank = line.indexOf(' ');
            if (blank < 0) {
                continue;
            }
            String key = line.substring(0, blank);
            String value = Roots.unescaped(line.substring(blank + 1));
            try {
                switch (key) {
                    case "measure":
                        measure = !value.equals("no");
                        break;
                    case "launches":
                        launches = value;
                        break;
                    case "timeout":
                        timeout = Double.parseDouble(value);
                        break;
                    case "only":
                        filter.only(value);
                        break;
                    case "exclude":
                        filter.exclude(value);
                        break;
                    case "skip":
                        filter.skip(value);
                        break;
                    case "shard":
                        String[] numbers = value.split(" ");
                        filter.shard(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
                        break;
                    default:
                        break;
                }
            } catch (NumberFormatException | ArrayIndexOutOfBoundsException error) {
                throw new IOException(path + ", line " + number + ": expected a number after '" + key
                        + "', found '" + value + "'", error);
            }
        }
        return new Plan(measure, launches, filter.build(), timeout, Collections.<String, Double>emptyMap());
    }
}
