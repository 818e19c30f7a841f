package fdc.record;

import java.util.Arrays;

/** A set of (unit, probe), as bits. Not for several threads at once. */
final class Lines {
    /** From the unit {@code first} on. */
    private long[][] words = new long[0][];
    private int first;

    /** Adds the probes that are set in a row; each of them is unset when it is taken. */
    void add(int unit, byte[] row, boolean taken) {
        if (row == null) {
            return;
        }
        for (int probe = 0; probe < row.length; probe++) {
            if (row[probe] != 0) {
                if (taken) {
                    row[probe] = 0;
                }
                add(unit, probe, row.length);
            }
        }
    }

    void add(Lines other) {
        for (int place = 0; place < other.words.length; place++) {
            long[] theirs = other.words[place];
            if (theirs == null) {
                continue;
            }
            long[] ours = unit(other.first + place, theirs.length);
            for (int word = 0; word < theirs.length; word++) {
                ours[word] |= theirs[word];
            }
        }
    }

    /** The smallest unit that may have lines. */
    int firstUnit() {
        return first;
    }

    /** One more than the largest unit that may have lines. */
    int endUnit() {
        return first + words.length;
    }

    boolean has(int unit) {
        return unit >= first && unit < first + words.length && words[unit - first] != null;
    }

    /** The first probe of the unit at or after this one that is in the set; -1 when there is none. */
    int next(int unit, int probe) {
        return next(unit, probe, 0);
    }

    /** The first probe of the unit at or after this one that is not in the set. */
    int nextAbsent(int unit, int probe) {
        int found = next(unit, probe, -1);
        return found < 0 ? words[unit - first].length * Long.SIZE : found;
    }

    /** How many of them are lines that are reported. */
    int reported() {
        int count = 0;
        for (int unit = first; unit < endUnit(); unit++) {
            int probes = has(unit) ? Units.get(unit).reportedProbes : 0;
            for (int probe = next(unit, 0); probe >= 0 && probe < probes; probe = next(unit, probe + 1)) {
                count++;
            }
        }
        return count;
    }

    private int next(int unit, int probe, long flip) {
        if (!has(unit)) {
            return -1;
        }
        long[] bits = words[unit - first];
        for (int word = probe / Long.SIZE; word < bits.length; word++) {
            long rest = bits[word] ^ flip;
            if (word == probe / Long.SIZE) {
                rest &= -1L << (probe % Long.SIZE);
            }
            if (rest != 0) {
                return word * Long.SIZE + Long.numberOfTrailingZeros(rest);
            }
        }
        return -1;
    }

    private void add(int unit, int probe, int probes) {
        long[] bits = unit(unit, (probes + Long.SIZE - 1) / Long.SIZE);
        bits[probe / Long.SIZE] |= 1L << (probe % Long.SIZE);
    }

    private long[] unit(int unit, int length) {
        if (words.length == 0) {
            first = unit;
            words = new long[4][];
        } else if (unit < first) {
            long[][] wider = new long[words.length + first - unit][];
            System.arraycopy(words, 0, wider, first - unit, words.length);
            words = wider;
            first = unit;
        } else if (unit >= first + words.length) {
            words = Arrays.copyOf(words, Math.max(unit - first + 1, words.length * 2));
        }
        if (words[unit - first] == null) {
            words[unit - first] = new long[length];
        }
        return words[unit - first];
    }
}
