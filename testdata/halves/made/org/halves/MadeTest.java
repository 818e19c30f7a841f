package org.halves;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import org.junit.Assume;
import org.junit.Test;

public class MadeTest {
    // Holds on to the bug.
    @Test
    public void minusFour() {
        assertEquals(2, Half.of(-4));
    }

    @Test
    public void large() {
        assertEquals("large", Size.of(Numbers.HUNDRED_AND_ONE));
    }

    /** Does not compile. */
    @Test
    public void missing() {
        Half.third(3);
    }

    /* Fails. */
    @Test
    public void wrong() {
        assertEquals(7, Half.of(4));
    }

    // Every other time the file is there.
    @Test
    public void flaky() throws Exception {
        File file = new File("seen");
        assertTrue(file.exists() ? !file.delete() : file.createNewFile());
    }

    @Test
    public void endless() {
        while (Half.of(2) == 1) {
            Thread.yield();
        }
    }

    @Test
    public void unwilling() {
        Assume.assumeTrue(Half.of(2) == 2);
    }

    @Test
    public void counts() {
        assertEquals(1, new Half().count());
    }
}
