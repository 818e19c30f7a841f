package org.shop;

public final class Price {
    static final int[] STEPS = steps();

    private Price() {}

    static int[] steps() {
        return new int[] {1, 10, 100};
    }

    public static int of(int pieces, int each) {
        if (pieces < 0) {
            throw new IllegalArgumentException("pieces: " + pieces);
        }
        int price = pieces * each;
        return pieces >= STEPS[1] ? price - discount(price) : price;
    }

    static int discount(int price) {
        return price / 100;
    }
}
