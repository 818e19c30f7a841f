package fdc.fitness;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class FitnessTest {
    private static final String SHOP = System.getProperty("fdc.shop");
    private static final String FAILING = "org.shop.CartTest#addsTwice";

    @BeforeAll
    static void load() {
        Fitness.load(System.getProperty("fdc.library"));
        Fitness.load(System.getProperty("fdc.library"));
    }

    /** The table was written by Rust's tests, which check it too. */
    @Test
    void valuesAreThoseOfRustToTheLastBit() throws IOException {
        List<String> lines = Files.readAllLines(Paths.get(System.getProperty("fdc.golden")));
        assertTrue(lines.size() > 100);
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split("\t", -1);
            long[] rows = words(cells[4]);
            double expected = Double.parseDouble(cells[5]);
            try (Fitness fitness = input(cells[0], cells[1])) {
                long[] kept = words(cells[2]);
                for (int at = 0; at < kept.length; at += fitness.words()) {
                    fitness.keep(Arrays.copyOfRange(kept, at, at + fitness.words()));
                }
                assertEquals(kept.length / fitness.words(), fitness.kept());
                if (cells[3].equals("test")) {
                    double[] twice = new double[2];
                    fitness.ofTests(words(cells[4] + "," + cells[4]), twice);
                    assertArrayEquals(new double[] {expected, expected}, twice, 0.0, line);
                    assertEquals(expected, fitness.ofTest(rows), 0.0, line);
                } else {
                    assertEquals(expected, fitness.ofSuite(rows, rows.length / fitness.words()), 0.0, line);
                }
            }
        }
    }

    @Test
    void linesOfAClassAreElementsOfTheCase() {
        try (Fitness fitness = Fitness.open(SHOP, FAILING, "tfd", null)) {
            assertEquals(5, fitness.elements());
            assertEquals(1, fitness.words());
            int[] cart = fitness.lines("org.shop.Cart");
            assertEquals(13, cart.length);
            assertEquals(0, cart[7]);
            assertEquals(1, cart[11]);
            assertEquals(2, cart[12]);
            assertEquals(-1, cart[8]);
            assertEquals(3, fitness.lines("org.shop.Cart$Line")[30]);
            assertEquals(4, fitness.lines("Main")[3]);
            assertEquals(0, fitness.lines("org.shop.Basket").length);
        }
    }

    @Test
    void whatIsKeptSplitsTheSuspects() {
        try (Fitness fitness = Fitness.open(SHOP, FAILING, "tfd", null)) {
            assertEquals(1, fitness.groups());
            fitness.keep(new long[] {3});
            assertEquals(2, fitness.groups());
            assertEquals(1, fitness.kept());
            assertEquals(0.25, fitness.loss(3));
            assertEquals(0, fitness.ofSuite(new long[0], 0));
        }
    }

    @Test
    void wrongSizesAreRefused() {
        try (Fitness fitness = Fitness.of(130, new long[] {-1, -1, 3}, "rlfdc", null)) {
            assertEquals(3, fitness.words());
            refused("expected rows of 3 words, found 2", () -> fitness.ofTest(new long[2]));
            refused("expected rows of 3 words, found 0", () -> fitness.keep(new long[0]));
            refused("expected rows of 6 words, found 5", () -> fitness.ofTests(new long[5], new double[2]));
            refused("expected rows of 6 words, found 3", () -> fitness.ofSuite(new long[3], 2));
            refused("tests from 0", () -> fitness.ofSuite(new long[3], -1));
            refused("rows, found null", () -> fitness.ofTest(null));
            refused("Null", () -> fitness.ofTests(new long[0], null));
            refused("className, found null", () -> fitness.lines(null));
            assertEquals(0, fitness.kept());
        }
        refused("elements from 0", () -> Fitness.of(-1, new long[0], "tfd", null));
        refused("elements from 0", () -> Fitness.of(Integer.MAX_VALUE, new long[0], "tfd", null));
        refused("expected rows of 2 words, found 1", () -> Fitness.of(65, new long[1], "tfd", null));
    }

    @Test
    void whatCannotBeOpenedSaysWhy() {
        refused("did you mean \"rlfdc\"?", () -> Fitness.open(SHOP, FAILING, "rlfcd", null));
        refused("metric fdg looks at outcomes", () -> Fitness.open(SHOP, FAILING, "fdg", null));
        refused("/no/such/case.fdc", () -> Fitness.open("/no/such/case.fdc", FAILING, "tfd", null));
        refused("did you mean", () -> Fitness.open(SHOP, "CartTest#addsTwice", "tfd", null));
        refused("passes", () -> Fitness.open(SHOP, "org.shop.MainTest#prints", "tfd", null));
        refused("/no/model", () -> Fitness.open(SHOP, FAILING, "rlfdc", "/no/model"));
        refused("not with tfd", () -> Fitness.open(SHOP, FAILING, "tfd", "/no/model"));
        refused("metric, found null", () -> Fitness.open(SHOP, FAILING, null, null));
        refused("absolute path", () -> Fitness.load("libfdc_jni.so"));
        refused("cannot load", () -> Fitness.load("/no/such/libfdc_jni.so"));
    }

    @Test
    void afterClosingEveryCallThrowsAndClosingAgainDoesNothing() {
        Fitness fitness = Fitness.of(6, new long[] {15}, "tfd", null);
        fitness.close();
        fitness.close();
        List<Executable> calls = Arrays.asList(
                () -> fitness.ofTest(new long[1]),
                () -> fitness.ofTests(new long[1], new double[1]),
                () -> fitness.ofSuite(new long[1], 1),
                () -> fitness.loss(1),
                () -> fitness.keep(new long[1]),
                fitness::kept,
                fitness::groups,
                () -> fitness.lines("C"));
        for (Executable call : calls) {
            refused("not open", call);
        }
    }

    @Test
    void manyThreadsMayUseOneFitnessUntilItIsClosed() throws InterruptedException, ExecutionException {
        int threads = 8;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        Fitness fitness = Fitness.of(1000, row(1000, 0, 1), "rlfdc", null);
        try {
            double alone = fitness.ofTest(row(1000, 0, 2));
            List<Future<?>> working = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                working.add(pool.submit(() -> {
                    long[] row = row(1000, 0, 2);
                    for (int turn = 0; turn < 500; turn++) {
                        assertEquals(alone, fitness.ofTest(row), 0.0);
                    }
                }));
            }
            for (Future<?> work : working) {
                work.get();
            }
            working.clear();
            for (int thread = 0; thread < threads; thread++) {
                working.add(pool.submit(() -> {
                    long[] row = row(1000, 0, 3);
                    assertThrows(FitnessException.class, () -> {
                        while (true) {
                            fitness.ofTest(row);
                            fitness.groups();
                        }
                    });
                }));
            }
            fitness.keep(row(1000, 1, 2));
            fitness.close();
            for (Future<?> work : working) {
                work.get();
            }
        } finally {
            pool.shutdownNow();
            fitness.close();
        }
    }

    private static Fitness input(String input, String metric) {
        if (input.equals("shop")) {
            return Fitness.open(SHOP, FAILING, metric, null);
        }
        String[] parts = input.split(":");
        return Fitness.of(Integer.parseInt(parts[0]), words(parts[1]), metric, null);
    }

    private static long[] words(String hex) {
        String[] words = hex.isEmpty() ? new String[0] : hex.split(",");
        return Arrays.stream(words).mapToLong(word -> Long.parseUnsignedLong(word, 16)).toArray();
    }

    /** Every {@code step}-th element, from {@code start} on. */
    private static long[] row(int elements, int start, int step) {
        long[] row = new long[(elements + 63) / 64];
        for (int element = start; element < elements; element += step) {
            row[element / 64] |= 1L << (element % 64);
        }
        return row;
    }

    private static void refused(String part, Executable call) {
        String message = assertThrows(FitnessException.class, call).getMessage();
        assertTrue(message.contains(part), message);
    }
}
