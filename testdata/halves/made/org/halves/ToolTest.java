package org.halves;

import static org.evosuite.runtime.EvoAssertions.verifyException;
import static org.junit.Assert.fail;

import org.junit.Test;

public class ToolTest {
    @Test
    public void notANumber() {
        try {
            Half.of(Integer.parseInt("four"));
            fail("expected an exception");
        } catch (NumberFormatException e) {
            verifyException("java.lang.NumberFormatException", e);
        }
    }
}
