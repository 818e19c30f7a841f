package fdc.evosuite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class FindsTest {
    private final Finds<String> finds = new Finds<>(2);

    private static Row row(long bits) {
        return new Row(new long[] {bits}, 0);
    }

    @Test
    void theFirstTestOfARowIsRemembered() {
        finds.offer(row(1), () -> "first");
        finds.offer(row(1), () -> fail("asked for a test of a known row"));
        assertEquals(Collections.singletonList("first"), finds.best(row -> 0));
    }

    @Test
    void theBestComeFirstAndTheEarlierOnATie() {
        for (long bits = 1; bits <= 4; bits++) {
            String name = "test " + bits;
            finds.offer(row(bits), () -> name);
        }
        assertEquals(Arrays.asList("test 4", "test 1"), finds.best(row -> row.words()[0] == 4 ? 2 : 1));
        assertEquals(Arrays.asList(row(1), row(4)), finds.rows());
    }

    @Test
    void noMoreThanTwiceAsManyAreTakenBetweenRounds() {
        for (long bits = 1; bits <= 9; bits++) {
            finds.offer(row(bits), () -> "test");
        }
        assertEquals(4, finds.rows().size());
    }

    @Test
    void whatJoinedTheSuiteIsForgotten() {
        finds.offer(row(1), () -> "kept");
        finds.offer(row(2), () -> "other");
        finds.forget(row(1)::equals);
        assertEquals(Collections.singletonList("other"), finds.best(row -> 0));
    }
}
