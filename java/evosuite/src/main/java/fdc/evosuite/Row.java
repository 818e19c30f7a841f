package fdc.evosuite;

import java.util.Arrays;

/** What a test covers: bit e % 64 of word e / 64 stands for element e of the case. Rows are equal if the bits are. */
public final class Row {
    private final long[] words;
    private final int outside;

    public Row(long[] words, int outside) {
        this.words = words;
        this.outside = outside;
    }

    /** The bits themselves, not a copy: to be read only. */
    public long[] words() {
        return words;
    }

    /** Elements covered. */
    public int covers() {
        int count = 0;
        for (long word : words) {
            count += Long.bitCount(word);
        }
        return count;
    }

    /** Lines that ran and are no elements of the case. */
    public int outside() {
        return outside;
    }

    public boolean isEmpty() {
        for (long word : words) {
            if (word != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Row && Arrays.equals(words, ((Row) other).words);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(words);
    }
}
