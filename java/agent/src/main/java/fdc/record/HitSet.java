package fdc.record;

import java.util.Arrays;

/** Hits of many units, marked by any number of threads. */
final class HitSet {
    private volatile byte[][] rows = new byte[16][];

    void mark(int unit, int probe) {
        byte[][] all = rows;
        byte[] row = unit < all.length ? all[unit] : null;
        if (row == null) {
            row = row(unit);
        }
        row[probe] = 1;
    }

    /** What was marked; the set is empty afterwards. */
    Lines take() {
        Lines lines = new Lines();
        byte[][] all = rows;
        for (int unit = 0; unit < all.length; unit++) {
            lines.take(unit, all[unit]);
        }
        return lines;
    }

    /** What was marked so far. */
    Lines lines() {
        Lines lines = new Lines();
        byte[][] all = rows;
        for (int unit = 0; unit < all.length; unit++) {
            lines.add(unit, all[unit]);
        }
        return lines;
    }

    private synchronized byte[] row(int unit) {
        if (unit >= rows.length) {
            rows = Arrays.copyOf(rows, Math.max(unit + 1, rows.length * 2));
        }
        if (rows[unit] == null) {
            rows[unit] = new byte[Probes.ROWS[unit].length];
            rows = rows; // publishes the new row
        }
        return rows[unit];
    }
}
