package fdc.evosuite;

import fdc.fitness.Fitness;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.evosuite.Properties;
import org.evosuite.testcase.execution.ExecutionResult;

/**
 * The one search of this process: the native fitness, T (the failing test and the tests kept so far) and the
 * counts for the report. EvoSuite serialises fitness functions, so none of them holds it.
 */
public final class Session {
    private static Session current;

    private final Guide guide;
    private final Fitness fitness;
    private final Elements elements;
    private final KeptRows keptRows;
    private final Report report;
    private final Set<Row> kept = new HashSet<>();
    /** Reused from call to call: rows of one suite end to end, by the number of tests. */
    private long[][] suites = new long[0][];
    /** Given T as it is: forgotten when T grows. */
    private final Recall<Row> losses = new Recall<>(4096);
    private final Recall<List<Row>> lossesOfSuites = new Recall<>(256);
    private long evaluations;
    private long generations;
    private long nativeNanoseconds;
    private int newTests;

    private Session(Guide guide) {
        this.guide = guide;
        Fitness.load(guide.library);
        fitness = Fitness.open(guide.caseFile, guide.failing, guide.metric, guide.model);
        elements = new Elements(fitness.words(), fitness::lines);
        keptRows = new KeptRows(guide.kept, fitness.elements());
        for (Row row : keptRows.read()) {
            fitness.keep(row.words());
            kept.add(row);
        }
        report = new Report(guide.report, Properties.TARGET_CLASS);
        report.start(fitness.elements(), elements.known(Properties.TARGET_CLASS), fitness.groups());
    }

    /** Opened on first use. */
    public static synchronized Session current() {
        if (current == null) {
            current = new Session(Guide.fromEnvironment());
        }
        return current;
    }

    public Guide guide() {
        return guide;
    }

    /** What a test covered; null if it did not run to its end, or is no valid test. */
    public synchronized Row row(ExecutionResult result) {
        if (result == null || result.hasTimeout() || result.hasTestException()) {
            return null;
        }
        return elements.row(result.getTrace().getCoverageData());
    }

    /** Whether a test would add anything to T: it covers an element, and no kept test covers just the same ones. */
    public synchronized boolean isNew(Row row) {
        return row != null && !row.isEmpty() && !kept.contains(row);
    }

    /** The value of a test, given T. */
    public synchronized double value(Row row) {
        long start = System.nanoTime();
        double value = fitness.ofTest(row.words());
        count(start);
        return value;
    }

    /** The value of each test alone, given T. */
    public synchronized double[] values(List<Row> rows) {
        double[] values = new double[rows.size()];
        long[] words = endToEnd(rows);
        long start = System.nanoTime();
        fitness.ofTests(words, values);
        count(start);
        return values;
    }

    /** What a search makes small: the loss of a test, given T. */
    public synchronized double loss(Row row) {
        Double known = losses.get(row);
        if (known == null) {
            known = fitness.loss(value(row));
            losses.put(row, known);
        }
        return known;
    }

    /** What a search makes small: the loss of a whole suite beside T. */
    public synchronized double lossOfSuite(List<Row> rows) {
        Double known = lossesOfSuites.get(rows);
        if (known == null) {
            long[] words = endToEnd(rows);
            long start = System.nanoTime();
            known = fitness.loss(fitness.ofSuite(words, rows.size()));
            count(start);
            lossesOfSuites.put(rows, known);
        }
        return known;
    }

    /** T grows. */
    public synchronized void keep(Row row) {
        fitness.keep(row.words());
        losses.clear();
        lossesOfSuites.clear();
        kept.add(row);
        keptRows.add(row);
        newTests++;
    }

    /** Ambiguity groups among the elements that the failing test covers. */
    public synchronized int groups() {
        return fitness.groups();
    }

    /** Native calls that valued tests or a suite; what is known from before is not asked again. */
    public synchronized long evaluations() {
        return evaluations;
    }

    public synchronized long generations() {
        return generations;
    }

    public synchronized void countGeneration() {
        generations++;
    }

    public synchronized void report(Report.Round round) {
        report.round(round);
    }

    public synchronized void reportEnd() {
        report.end(evaluations, generations, nativeNanoseconds / 1e9, newTests);
    }

    private long[] endToEnd(List<Row> rows) {
        int words = fitness.words();
        if (suites.length <= rows.size()) {
            suites = Arrays.copyOf(suites, Math.max(rows.size() + 1, suites.length * 2));
        }
        if (suites[rows.size()] == null) {
            suites[rows.size()] = new long[words * rows.size()];
        }
        long[] all = suites[rows.size()];
        for (int place = 0; place < rows.size(); place++) {
            System.arraycopy(rows.get(place).words(), 0, all, place * words, words);
        }
        return all;
    }

    private void count(long start) {
        nativeNanoseconds += System.nanoTime() - start;
        evaluations++;
    }
}
