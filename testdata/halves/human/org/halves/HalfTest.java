package org.halves;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class HalfTest {
    @Test
    public void aNegativeNumberIsTiny() {
        assertEquals("tiny", Size.of(-400));
    }

    @Test
    public void four() {
        assertEquals(2, Half.of(4));
    }

    @Test
    public void many() {
        assertEquals("large", Size.of(101));
    }
}
