package org.halves;

import junit.framework.TestCase;

public class OldTest extends TestCase {
    public void testMedium() {
        assertEquals("medium", Size.of(11));
    }
}
