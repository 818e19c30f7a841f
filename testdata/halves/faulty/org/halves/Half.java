package org.halves;

public class Half {
    private int asked;

    public static int of(int n) {
        if (n < 0) {
            return negative(n);
        }
        return n / 2;
    }

    static int negative(int n) {
        int whole = -n;
        return whole / 2;
    }

    public int count() {
        asked++;
        return asked;
    }
}
