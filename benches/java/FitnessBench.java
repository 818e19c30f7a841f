import fdc.fitness.Fitness;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Microseconds of fitness calls through JNI, as JSON: medians of blocks of calls, one thread.
 *
 * <p>Programs are made by seed: methods of 1 to 20 lines, each in a few runs that are covered together, as lines
 * between branches are. The failing test enters a share of the methods, a candidate about half of those and as many
 * others.
 */
public final class FitnessBench {
    private static final int ELEMENTS = 5000;
    private static final int BLOCKS = 21;
    private static final int BATCH = 100;
    private static final int SUITE = 20;
    private static final int KEPT = 9;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static double sink;

    private FitnessBench() {}

    public static void main(String[] arguments) {
        Fitness.load(arguments[0]);
        System.out.println("{" + example(new Program(new Random(1), 0.1)) + "\"results\": [");
        String comma = "";
        for (double share : new double[] {0.1, 0.4}) {
            Program program = new Program(new Random(1), share);
            for (String metric : new String[] {"rlfdc", "sharp", "tfd", "ddu", "entbug"}) {
                for (int kept : new int[] {0, KEPT}) {
                    System.out.print(comma + measure(program, metric, kept));
                    comma = ",\n";
                }
            }
        }
        System.out.println("\n]}");
        if (Double.isNaN(sink)) {
            throw new AssertionError("a value is NaN");
        }
    }

    /** One value of rlfdc, with all that is needed to have it computed elsewhere. */
    private static String example(Program program) {
        try (Fitness fitness = Fitness.of(ELEMENTS, program.failing, "rlfdc", null)) {
            return String.format(
                    "\"elements\": %d, \"failing\": \"%s\", \"candidate\": \"%s\", \"value\": %s,\n",
                    ELEMENTS,
                    hex(program.failing),
                    hex(program.candidates[0]),
                    fitness.ofTest(program.candidates[0]));
        }
    }

    private static String hex(long[] row) {
        return Arrays.stream(row).mapToObj(Long::toHexString).collect(Collectors.joining(","));
    }

    private static String measure(Program program, String metric, int kept) {
        try (Fitness fitness = Fitness.of(ELEMENTS, program.failing, metric, null)) {
            for (int test = 0; test < kept; test++) {
                fitness.keep(program.candidates[BATCH + test]);
            }
            long[] batch = program.candidates(0, BATCH);
            double[] values = new double[BATCH];
            long[][] suites = new long[10][];
            for (int suite = 0; suite < suites.length; suite++) {
                suites[suite] = program.candidates(suite * 8, suite * 8 + SUITE);
            }
            String test = time("test", 2000, 1, call -> fitness.ofTest(program.candidates[call % BATCH]));
            String inBatch = time("in_batch", 40, BATCH, call -> {
                fitness.ofTests(batch, values);
                return values[call % BATCH];
            });
            String suite = time("suite", 400, 1, call -> fitness.ofSuite(suites[call % suites.length], SUITE));
            return String.format(
                    Locale.ROOT,
                    " {\"metric\": \"%s\", \"kept\": %d, \"groups\": %d, \"failing_density\": %.3f, "
                            + "\"candidate_density\": %.3f, %s, %s, %s}",
                    metric,
                    kept,
                    fitness.groups(),
                    density(program.failing),
                    density(batch) / BATCH,
                    test,
                    inBatch,
                    suite);
        }
    }

    /** Medians over blocks of the microseconds of a call, after as many blocks to warm up: by the clock and the CPU. */
    private static String time(String name, int calls, int parts, IntToDoubleFunction call) {
        double[] wall = new double[BLOCKS];
        double[] cpu = new double[BLOCKS];
        for (int block = -BLOCKS; block < BLOCKS; block++) {
            long begunWall = System.nanoTime();
            long begunCpu = THREADS.getCurrentThreadCpuTime();
            for (int number = 0; number < calls; number++) {
                sink += call.applyAsDouble(number);
            }
            if (block >= 0) {
                wall[block] = (System.nanoTime() - begunWall) / 1000.0 / calls / parts;
                cpu[block] = (THREADS.getCurrentThreadCpuTime() - begunCpu) / 1000.0 / calls / parts;
            }
        }
        Arrays.sort(wall);
        Arrays.sort(cpu);
        String text = "\"%s_us\": %.3f, \"%s_cpu_us\": %.3f";
        return String.format(Locale.ROOT, text, name, wall[BLOCKS / 2], name, cpu[BLOCKS / 2]);
    }

    private static double density(long[] rows) {
        return Arrays.stream(rows).map(Long::bitCount).sum() / (double) ELEMENTS;
    }

    /** A failing test and candidates over one program. */
    private static final class Program {
        final long[] failing;
        final long[][] candidates = new long[BATCH + KEPT][];

        /** Where methods begin, and the end of the last. */
        private final int[] methods;
        private final Random random;

        Program(Random random, double share) {
            this.random = random;
            int[] begins = new int[ELEMENTS + 1];
            int count = 0;
            for (int line = 0; line < ELEMENTS; line += 1 + random.nextInt(20)) {
                begins[count++] = line;
            }
            begins[count] = ELEMENTS;
            methods = Arrays.copyOf(begins, count + 1);
            boolean[] entered = new boolean[count];
            for (int method = 0; method < count; method++) {
                entered[method] = random.nextDouble() < share;
            }
            failing = row(entered, 1, 0);
            for (int test = 0; test < candidates.length; test++) {
                candidates[test] = row(entered, 0.5, 0.5 * share / (1 - share));
            }
        }

        long[] candidates(int from, int to) {
            int words = failing.length;
            long[] rows = new long[(to - from) * words];
            for (int test = from; test < to; test++) {
                System.arraycopy(candidates[test], 0, rows, (test - from) * words, words);
            }
            return rows;
        }

        private long[] row(boolean[] entered, double inside, double outside) {
            long[] row = new long[(ELEMENTS + 63) / 64];
            for (int method = 0; method + 1 < methods.length; method++) {
                if (random.nextDouble() >= (entered[method] ? inside : outside)) {
                    continue;
                }
                // A new run every four lines or so; three of four runs are taken.
                boolean taken = true;
                for (int line = methods[method]; line < methods[method + 1]; line++) {
                    if (line % 4 == 0) {
                        taken = random.nextInt(4) > 0;
                    }
                    if (taken) {
                        row[line / 64] |= 1L << (line % 64);
                    }
                }
            }
            return row;
        }
    }
}
