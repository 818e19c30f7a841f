package fdc.junit;

/** Counts tests and prints failures, or prints the tests' names only. */
final class Tally {
    private final boolean list;
    private int tests;
    private int failures;

    Tally(boolean list) {
        this.list = list;
    }

    /** Whether tests are to be named, not run. */
    boolean listsOnly() {
        return list;
    }

    synchronized void listed(String id) {
        tests++;
        System.out.println(id);
    }

    synchronized void ran() {
        tests++;
    }

    synchronized void failed(String id, String note) {
        failures++;
        System.out.println("FAILED " + id + (note == null ? "" : ": " + note));
    }

    synchronized int tests() {
        return tests;
    }

    /** Says how it went; whether all passed. */
    synchronized boolean finish() {
        if (!list) {
            System.out.println((tests - failures) + " passed, " + failures + " failed");
        }
        return failures == 0;
    }
}
