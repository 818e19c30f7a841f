package fdc.evosuite;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Turns the lines that EvoSuite saw into rows over the case's elements. A class is looked up once. */
public final class Elements {
    private static final int NONE = -1;

    private final int words;
    /** The elements of a class by line number; -1 where there is none. */
    private final Function<String, int[]> lookUp;
    private final Map<String, int[]> byClass = new HashMap<>();

    public Elements(int words, Function<String, int[]> lookUp) {
        this.words = words;
        this.lookUp = lookUp;
    }

    /** The row of a trace: how often a line of a method of a class ran. Lines that ran 0 times are not covered. */
    public Row row(Map<String, Map<String, Map<Integer, Integer>>> coverage) {
        long[] row = new long[words];
        int outside = 0;
        for (Map.Entry<String, Map<String, Map<Integer, Integer>>> ofClass : coverage.entrySet()) {
            int[] elements = ofClass(ofClass.getKey());
            for (Map<Integer, Integer> lines : ofClass.getValue().values()) {
                for (Map.Entry<Integer, Integer> line : lines.entrySet()) {
                    if (line.getValue() == 0) {
                        continue;
                    }
                    int number = line.getKey();
                    int element = number >= 0 && number < elements.length ? elements[number] : NONE;
                    if (element == NONE) {
                        outside++;
                    } else {
                        row[element >> 6] |= 1L << element;
                    }
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
}
