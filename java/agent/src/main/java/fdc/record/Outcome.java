package fdc.record;

/** How a test ended. */
public enum Outcome {
    PASS("pass"),
    FAIL("fail"),
    /** Disabled, ignored, or an assumption did not hold. */
    SKIP("skip");

    final String word;

    Outcome(String word) {
        this.word = word;
    }
}
