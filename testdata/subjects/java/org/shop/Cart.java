package org.shop;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A cart, small enough to check its coverage by hand. */
public class Cart {
    private static final int LIMIT = Integer.parseInt("3");

    private final List<Line> lines = new ArrayList<>();

    public void add(int price, int count) {
        if (count > LIMIT) {
            throw new IllegalArgumentException("too many");
        }
        lines.add(new Line(price, count));
    }

    public int total() {
        int sum = 0;
        for (Line line : lines) {
            sum += line.total();
        }
        return sum;
    }

    public Supplier<String> label(Kind kind) {
        switch (kind) {
            case PLAIN:
                return () -> "plain " + total();
            default:
                return () -> "gift " + total();
        }
    }

    enum Kind {
        PLAIN,
        GIFT
    }

    static class Line {
        final int price;
        final int count;

        Line(int price, int count) {
            this.price = price;
            this.count = count;
        }

        int total() {
            synchronized (this) {
                return price * count;
            }
        }
    }
}
