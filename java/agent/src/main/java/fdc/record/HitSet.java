package fdc.record;

import java.util.Arrays;

/** Hits of many units, marked by any number of threads. */
final class HitSet {
    private static final byte[][] NONE = new byte[0][];

    private volatile Rows rows = new Rows(0, NONE);

    /** Rows from some unit on: the classes of one test are numbered close to each other. */
    private static final class Rows {
        final int first;
        final byte[][] byUnit;

        Rows(int first, byte[][] byUnit) {
            this.first = first;
            this.byUnit = byUnit;
        }
    }

    void mark(int unit, int probe) {
        Rows all = rows;
        int place = unit - all.first;
        byte[] row = place >= 0 && place < all.byUnit.length ? all.byUnit[place] : null;
        if (row == null) {
            row = row(unit);
        }
        row[probe] = 1;
    }

    /** What was marked; the set is empty afterwards. */
    Lines take() {
        return lines(true);
    }

    /** What was marked so far. */
    Lines lines() {
        return lines(false);
    }

    private Lines lines(boolean taken) {
        Lines lines = new Lines();
        Rows all = rows;
        for (int place = 0; place < all.byUnit.length; place++) {
            lines.add(all.first + place, all.byUnit[place], taken);
        }
        return lines;
    }

    private synchronized byte[] row(int unit) {
        Rows all = rows;
        if (all.byUnit.length == 0) {
            all = new Rows(unit, new byte[4][]);
        } else if (unit < all.first) {
            byte[][] wider = new byte[all.byUnit.length + all.first - unit][];
            System.arraycopy(all.byUnit, 0, wider, all.first - unit, all.byUnit.length);
            all = new Rows(unit, wider);
        } else if (unit >= all.first + all.byUnit.length) {
            int length = Math.max(unit - all.first + 1, all.byUnit.length * 2);
            all = new Rows(all.first, Arrays.copyOf(all.byUnit, length));
        }
        int place = unit - all.first;
        if (all.byUnit[place] == null) {
            all.byUnit[place] = new byte[Probes.ROWS[unit].length];
        }
        rows = all; // also publishes a new row
        return all.byUnit[place];
    }
}
