package fdc.fitness;

import java.io.File;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a new test is worth for the diagnosis of a fault: one of fdc's metrics over rows of coverage. It looks at a
 * failing test and the new tests kept so far, together T, and at no outcome of the new ones.
 *
 * <p>A row is a test's coverage: element {@code e} is bit {@code e % 64} of word {@code e / 64}. Bits past the last
 * element are ignored. Rows may be used again after a call; no call allocates on the Java side but {@link #lines}.
 *
 * <p>All methods may be called from any thread and throw {@link FitnessException}.
 */
public final class Fitness implements AutoCloseable {
    private static final long CLOSED = 0;

    private final AtomicLong handle;
    private final int elements;

    private Fitness(long handle) {
        this.handle = new AtomicLong(handle);
        this.elements = Native.elements(handle);
    }

    /** Loads the native library, an absolute path. Has to come first; a second time it does nothing. */
    public static void load(String libraryFile) {
        if (libraryFile == null || !new File(libraryFile).isAbsolute()) {
            throw new FitnessException("expected an absolute path of fdc's native library, found " + libraryFile);
        }
        try {
            System.load(libraryFile);
        } catch (UnsatisfiedLinkError error) {
            throw new FitnessException("cannot load fdc's native library: " + error.getMessage(), error);
        }
    }

    /**
     * Opens a fitness for a case.
     *
     * @param caseFile a case file, or other coverage that fdc reads
     * @param failingTest a failing test of it, as the case spells it
     * @param metric a metric that sees coverage alone, e.g. {@code rlfdc} or {@code weight:alpha=0.3}
     * @param modelFile the model of a learned metric, or null for the built-in one
     */
    public static Fitness open(String caseFile, String failingTest, String metric, String modelFile) {
        try {
            return new Fitness(Native.open(caseFile, failingTest, metric, modelFile));
        } catch (UnsatisfiedLinkError error) {
            throw notLoaded(error);
        }
    }

    /** Opens a fitness without a case: over so many elements, each a method of its own. */
    public static Fitness of(int elements, long[] failingRow, String metric, String modelFile) {
        try {
            return new Fitness(Native.of(elements, failingRow, metric, modelFile));
        } catch (UnsatisfiedLinkError error) {
            throw notLoaded(error);
        }
    }

    /** Number of elements. */
    public int elements() {
        return elements;
    }

    /** Words of one row. */
    public int words() {
        return (elements + Long.SIZE - 1) / Long.SIZE;
    }

    /**
     * The element of every line of a class, by line number; -1 where there is none. Empty if the class is not in the
     * case.
     *
     * @param className its binary name, {@code a.b.C$D}
     */
    public int[] lines(String className) {
        return Native.lines(handle.get(), className);
    }

    /** The value of one test given T; more is better. */
    public double ofTest(long[] row) {
        return Native.ofTest(handle.get(), row);
    }

    /** The value of each of several tests alone, given T: as many as there is room for in {@code values}. */
    public void ofTests(long[] rows, double[] values) {
        Native.ofTests(handle.get(), rows, values);
    }

    /**
     * The value of a suite beside T, rows end to end. For entbug, ddu and tfd that of the whole matrix; for other
     * metrics the mean over at most ten greedy picks. 0 for no tests.
     */
    public double ofSuite(long[] rows, int tests) {
        return Native.ofSuite(handle.get(), rows, tests);
    }

    /** A value as something to make small, 0 to 1. */
    public double loss(double value) {
        return Native.loss(handle.get(), value);
    }

    /** Puts a test into T. */
    public void keep(long[] row) {
        Native.keep(handle.get(), row);
    }

    /** New tests kept so far. */
    public int kept() {
        return Native.kept(handle.get());
    }

    /** Ambiguity groups of T among the elements that the failing test covers. */
    public int groups() {
        return Native.groups(handle.get());
    }

    /** Frees the native memory. A second time it does nothing; any other call throws from now on. */
    @Override
    public void close() {
        long open = handle.getAndSet(CLOSED);
        if (open != CLOSED) {
            Native.close(open);
        }
    }

    private static FitnessException notLoaded(UnsatisfiedLinkError error) {
        return new FitnessException("fdc's native library is not loaded: call Fitness.load(path) first", error);
    }
}
