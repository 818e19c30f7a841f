package org.halves;

import org.junit.Test;
import org.nowhere.Nothing;

public class BrokenTest {
    @Test
    public void one() {
        Half.of(1);
    }

    @Test
    public void two() {
        Half.of(Nothing.TWO);
    }
}
