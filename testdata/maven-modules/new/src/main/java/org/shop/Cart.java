package org.shop;

import java.util.ArrayList;
import java.util.List;

public final class Cart {
    private final List<Integer> prices = new ArrayList<>();

    public void add(int pieces, int each) {
        prices.add(Price.of(pieces, each));
    }

    public int total() {
        return prices.stream().mapToInt(price -> price).sum();
    }
}
