package fdc.fitness;

/** The exports of crates/fdc-jni. A fitness is a number there; all of them throw {@link FitnessException}. */
final class Native {
    private Native() {}

    static native long open(String caseFile, String failingTest, String metric, String modelFile);

    static native long of(int elements, long[] failingRow, String metric, String modelFile);

    static native void close(long fitness);

    static native int elements(long fitness);

    static native int kept(long fitness);

    static native int groups(long fitness);

    static native int[] lines(long fitness, String className);

    static native double ofTest(long fitness, long[] row);

    static native void ofTests(long fitness, long[] rows, double[] values);

    static native double ofSuite(long fitness, long[] rows, int tests);

    static native double loss(long fitness, double value);

    static native void keep(long fitness, long[] row);
}
