package fdc.evosuite;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Turns the lines that EvoSuite saw into rows over the case's elements. The static initialiser's lines of a class
 * belong to every test that ran a line of it. A class is looked up once.
 */
public final class Elements {
    private static final int NONE = -1;

    private final int words;
    /** The elements of a class by line number; -1 where there is none. */
    private final Function<String, int[]> lookUp;
    /** The lines of static initialisers that come with a class, by the class that holds them. */
    private final Function<String, Map<String, int[]>> initialisers;
    private final Map<String, int[]> byClass = new HashMap<>();
    private final Map<String, int[]> initialisersByClass = new HashMap<>();

    public Elements(int words, Function<String, int[]> lookUp, Function<String, Map<String, int[]>> initialisers) {
        this.words = words;
        this.lookUp = lookUp;
        this.initialisers = initialisers;
    }

    /** The row of a trace: how often a line of a method of a class ran. Lines that ran 0 times are not covered. */
    public Row row(Map<String, Map<String, Map<Integer, Integer>>> coverage) {
        long[] row = new long[words];
        int outside = 0;
        for (Map.Entry<String, Map<String, Map<Integer, Integer>>> ofClass : coverage.entrySet()) {
            int[] elements = ofClass(ofClass.getKey());
            boolean ran = false;
            for (Map<Integer, Integer> lines : ofClass.getValue().values()) {
                for (Map.Entry<Integer, Integer> line : lines.entrySet()) {
                    if (line.getValue() == 0) {
                        continue;
                    }
                    ran = true;
                    int element = at(elements, line.getKey());
                    if (element == NONE) {
                        outside++;
                    } else {
                        row[element >> 6] |= 1L << element;
                    }
                }
            }
            if (ran) {
                for (int element : initialiser(ofClass.getKey())) {
                    row[element >> 6] |= 1L << element;
                }
            }
        }
        return new Row(row, outside);
    }

    /** How many lines of a class are elements. */
    public int known(String className) {
        int count = 0;
        for (int element : ofClass(className)) {
            if (element != NONE) {
                count++;
            }
        }
        return count;
    }

    private int[] ofClass(String name) {
        int[] elements = byClass.get(name);
        if (elements == null) {
            elements = lookUp.apply(name);
            byClass.put(name, elements);
        }
        return elements;
    }

    private int[] initialiser(String name) {
        int[] known = initialisersByClass.get(name);
        if (known == null) {
            known = initialisers.apply(name).entrySet().stream()
                    .flatMapToInt(holder -> Arrays.stream(holder.getValue()).map(line -> at(ofClass(holder.getKey()), line)))
                    .filter(element -> element != NONE).toArray();
            initialisersByClass.put(name, known);
        }
        return known;
    }

    private static int at(int[] elements, int line) {
        return line >= 0 && line < elements.length ? elements[line] : NONE;
    }
}
