package fdc.evosuite;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ElementsTest {
    private final List<String> asked = new ArrayList<>();
    /**
     * Two classes: lines 3 and 4 of a.B are elements 0 and 70, line 1 of a.B$C is element 63. a.Sub extends a.Static,
     * whose static initialiser is line 2, element 5.
     */
    private final Elements elements = new Elements(2, name -> {
        asked.add(name);
        switch (name) {
            case "a.B":
                return new int[] {-1, -1, -1, 0, 70};
            case "a.B$C":
                return new int[] {-1, 63};
            case "a.Static":
                return new int[] {-1, -1, 5};
            default:
                return new int[0];
        }
    }, name -> name.equals("a.Sub") ? Collections.singletonMap("a.Static", new int[] {2, 9}) : Collections.emptyMap());
    private final Map<String, Map<String, Map<Integer, Integer>>> trace = new HashMap<>();

    private void ran(String className, String method, int line, int times) {
        trace.computeIfAbsent(className, name -> new HashMap<>()).computeIfAbsent(method, name -> new HashMap<>()).put(line, times);
    }

    @Test
    void linesOfAllMethodsAndClassesBecomeBits() {
        ran("a.B", "m()V", 3, 2);
        ran("a.B", "n()V", 4, 1);
        ran("a.B$C", "<init>()V", 1, 1);
        Row row = elements.row(trace);
        assertArrayEquals(new long[] {1 | 1L << 63, 1L << 6}, row.words());
        assertEquals(3, row.covers());
        assertEquals(0, row.outside());
    }

    @Test
    void linesThatAreNoElementsAreCounted() {
        ran("a.B", "m()V", 2, 1);
        ran("a.B", "m()V", 5000, 1);
        ran("a.B", "m()V", -1, 1);
        ran("other.D", "m()V", 3, 1);
        Row row = elements.row(trace);
        assertTrue(row.isEmpty());
        assertEquals(0, row.covers());
        assertEquals(4, row.outside());
    }

    @Test
    void aLineThatRanNeverIsNotCovered() {
        ran("a.B", "m()V", 3, 0);
        assertTrue(elements.row(trace).isEmpty());
    }

    @Test
    void staticInitialisersComeWithAnyLineOfTheClass() {
        ran("a.Sub", "m()V", 3, 1);
        Row row = elements.row(trace);
        assertArrayEquals(new long[] {1 << 5, 0}, row.words());
        assertEquals(1, row.outside());
        ran("a.Sub", "m()V", 3, 0);
        assertTrue(elements.row(trace).isEmpty());
    }

    @Test
    void aClassIsLookedUpOnce() {
        ran("a.B", "m()V", 3, 1);
        ran("other.D", "m()V", 3, 1);
        elements.row(trace);
        elements.row(trace);
        assertEquals(2, elements.known("a.B"));
        assertEquals(2, asked.size());
    }

    @Test
    void rowsAreEqualByTheirBits() {
        ran("a.B", "m()V", 3, 1);
        Row one = elements.row(trace);
        ran("other.D", "m()V", 3, 1);
        Row same = elements.row(trace);
        assertEquals(one, same);
        assertEquals(one.hashCode(), same.hashCode());
        ran("a.B", "m()V", 4, 1);
        assertNotEquals(one, elements.row(trace));
        assertFalse(one.isEmpty());
    }
}
