package org.shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CartTest {
    private final Cart cart = new Cart();

    @Test
    void empty() {
        assertEquals(0, cart.total());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void one(int pieces) {
        cart.add(pieces, 5);
        assertEquals(pieces * 5, cart.total());
    }

    @Test
    void onTheMoon() {
        assumeTrue(false, "not on the moon");
    }

    @Nested
    class Full {
        @Test
        void discount() {
            cart.add(20, 10);
            assertEquals(180, cart.total());
        }
    }
}
