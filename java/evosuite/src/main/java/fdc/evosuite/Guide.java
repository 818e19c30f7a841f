package fdc.evosuite;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a search is told: a Java properties file, named by the environment variable FDC_GUIDE, which the
 * client that EvoSuite starts inherits.
 *
 * <pre>
 * library=/path/libfdc_jni.so     the native fitness
 * case=/path/case.fdc             the elements
 * failing=a.b.CTest#m             the failing test of the case that the search starts from
 * metric=rlfdc                    what a test or a suite is worth
 * model=/path/m.safetensors       optional: the model of a learned metric, if not the built-in one
 * kept=/path/kept.rows            tests kept so far, read and added to (see {@link KeptRows})
 * report=/path/rounds.jsonl       what each round did, added to (see {@link Report})
 * round_seconds=2                 budget of a round at test level; or
 * round_generations=10
 * </pre>
 */
public final class Guide {
    /** The variable that names the file. */
    public static final String VARIABLE = "FDC_GUIDE";

    private static final String[] NEEDED = {"library", "case", "failing", "metric", "kept", "report"};
    private static final String[] OPTIONAL = {"model", "round_seconds", "round_generations"};
    private static final double USUAL_SECONDS = 2;

    public final String library;
    public final String caseFile;
    public final String failing;
    public final String metric;
    /** Null for the built-in model. */
    public final String model;
    public final Path kept;
    public final Path report;
    /** Seconds of a round, or 0 if rounds are counted in generations. */
    public final double roundSeconds;
    /** Generations of a round, or 0 if rounds are timed. */
    public final int roundGenerations;

    private Guide(Path file, Properties entries) {
        checkKeys(file, entries);
        library = entries.getProperty("library");
        caseFile = entries.getProperty("case");
        failing = entries.getProperty("failing");
        metric = entries.getProperty("metric");
        model = entries.getProperty("model");
        kept = Paths.get(entries.getProperty("kept"));
        report = Paths.get(entries.getProperty("report"));
        String generations = entries.getProperty("round_generations");
        String seconds = entries.getProperty("round_seconds");
        if (generations != null && seconds != null) {
            throw new GuideException(file, "expected round_seconds or round_generations, found both", "leave one out");
        }
        roundGenerations = generations == null ? 0 : (int) number(file, "round_generations", generations, true);
        if (generations != null) {
            roundSeconds = 0;
        } else {
            roundSeconds = seconds == null ? USUAL_SECONDS : number(file, "round_seconds", seconds, false);
        }
    }

    /** The guide that FDC_GUIDE names. */
    public static Guide fromEnvironment() {
        String file = System.getenv(VARIABLE);
        if (file == null || file.isEmpty()) {
            throw new GuideException(VARIABLE + ": expected the name of a guide file, found nothing; "
                    + "start EvoSuite with `fdc generate evosuite`, or set the variable");
        }
        return read(Paths.get(file));
    }

    public static Guide read(Path file) {
        Properties entries = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            entries.load(reader);
        } catch (IOException | IllegalArgumentException error) {
            throw new GuideException(file, "expected a properties file in UTF-8, found " + error, "write it again");
        }
        return new Guide(file, entries);
    }

    private static void checkKeys(Path file, Properties entries) {
        Set<String> unknown = new TreeSet<>(entries.stringPropertyNames());
        for (String key : NEEDED) {
            if (entries.getProperty(key, "").isEmpty()) {
                throw new GuideException(file, "expected a value of " + key + ", found none", "add " + key + "=...");
            }
            unknown.remove(key);
        }
        for (String key : OPTIONAL) {
            unknown.remove(key);
        }
        if (!unknown.isEmpty()) {
            throw new GuideException(file, "expected only known keys, found " + String.join(", ", unknown),
                    "known are " + String.join(", ", NEEDED) + ", " + String.join(", ", OPTIONAL));
        }
    }

    private static double number(Path file, String key, String text, boolean whole) {
        String expected = whole ? "a whole number above 0" : "a number above 0";
        double value;
        try {
            value = whole ? Integer.parseInt(text.trim()) : Double.parseDouble(text.trim());
        } catch (NumberFormatException error) {
            value = Double.NaN;
        }
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new GuideException(file, "expected " + expected + " for " + key + ", found " + text, "correct it");
        }
        return value;
    }
}
