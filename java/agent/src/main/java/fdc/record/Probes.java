package fdc.record;

/**
 * What instrumented code calls. Loaded by the bootstrap loader, so every class finds it.
 *
 * <p>A unit is a class with probes, a probe one of its lines. While tests run one at a time a hit is
 * one store into the unit's row, and rows are emptied when a test begins or ends. A hit takes the
 * detour through its thread when it must not go to the running test alone: while some class is
 * being initialised, while a failure is put into words, and for good once two tests have run at the
 * same time.
 */
public final class Probes {
    /** More classes than this in one JVM get no probes. */
    public static final int MAX_UNITS = 1 << 17;

    static final byte[][] ROWS = new byte[MAX_UNITS][];
    private static final int PARALLEL = 1 << 30;
    private static volatile int detours;

    private Probes() {}

    /** The line of this probe is about to run. */
    public static void hit(int unit, int probe) {
        if (detours == 0) {
            ROWS[unit][probe] = 1;
        } else {
            detour(unit, probe);
        }
    }

    /** The unit's static initialiser begins on this thread. */
    public static void enter(int unit) {
        ThreadState.current().enter(unit);
        detour(1);
    }

    /** The unit's static initialiser ends on this thread, by whatever way. */
    public static void leave(int unit) {
        detour(-1);
        ThreadState.current().leave();
        Units.initialised();
    }

    /** What this thread runs from now on only puts a failure into words, and counts for no test. */
    public static void pause() {
        ThreadState.current().pause();
        detour(1);
    }

    /** As many of these as there were pauses, and lines count again. */
    public static void resume() {
        detour(-1);
        ThreadState.current().resume();
    }

    /** From now on hits belong to threads; there is no way back. */
    static void goParallel() {
        if (!parallel()) {
            detour(PARALLEL);
        }
    }

    static boolean parallel() {
        return (detours & PARALLEL) != 0;
    }

    /** What the rows hold; they are empty afterwards. */
    static Lines take() {
        Lines lines = new Lines();
        int count = Units.count();
        for (int unit = 0; unit < count; unit++) {
            lines.add(unit, ROWS[unit], true);
        }
        return lines;
    }

    private static void detour(int unit, int probe) {
        ThreadState state = ThreadState.current();
        HitSet initialiser = state.initialiser();
        if (initialiser != null) {
            initialiser.mark(unit, probe);
        } else if (state.isPaused()) {
            return;
        } else if (parallel()) {
            state.sink().mark(unit, probe);
        } else {
            ROWS[unit][probe] = 1;
        }
    }

    private static synchronized void detour(int change) {
        detours += change;
    }
}
