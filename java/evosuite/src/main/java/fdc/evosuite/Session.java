package fdc.evosuite;

import fdc.fitness.Fitness;
import java.io.InputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.evosuite.Properties;
import org.evosuite.TestGenerationContext;
import org.evosuite.classpath.ResourceList;
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
    /** Rows end to end; used again while the number of tests stays. */
    private long[] buffer = new long[0];
    private long evaluations;
    private long generations;
    private long nativeNanoseconds;
    private int newTests;

    private Session(Guide guide) {
        this.guide = guide;
        Fitness.load(guide.library);
        fitness = Fitness.open(guide.caseFile, guide.failing, guide.metric, guide.model);
        elements = new Elements(fitness.words(), fitness::lines, new Initialisers(Session::classFile)::of);
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
        return fitness.loss(value(row));
    }

    /** What a search makes small: the loss of a whole suite beside T. */
    public synchronized double lossOfSuite(List<Row> rows) {
        long[] words = endToEnd(rows);
        long start = System.nanoTime();
        double value = fitness.ofSuite(words, rows.size());
        count(start);
        return fitness.loss(value);
    }

    /** T grows. */
    public synchronized void keep(Row row) {
        fitness.keep(row.words());
        kept.add(row);
        keptRows.add(row);
        newTests++;
    }

    /** Ambiguity groups among the elements that the failing test covers. */
    public synchronized int groups() {
        return fitness.groups();
    }

    /** Native calls that valued tests or a suite. */
    public synchronized long evaluations() {
        return evaluations;
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

    private static InputStream classFile(String name) {
        return ResourceList.getInstance(TestGenerationContext.getInstance().getClassLoaderForSUT()).getClassAsStream(name);
    }

    private long[] endToEnd(List<Row> rows) {
        int words = fitness.words();
        if (buffer.length != words * rows.size()) {
            buffer = new long[words * rows.size()];
        }
        for (int place = 0; place < rows.size(); place++) {
            System.arraycopy(rows.get(place).words(), 0, buffer, place * words, words);
        }
        return buffer;
    }

    private void count(long start) {
        nativeNanoseconds += System.nanoTime() - start;
        evaluations++;
    }
}
