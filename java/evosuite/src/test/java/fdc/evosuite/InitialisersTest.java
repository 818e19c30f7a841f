package fdc.evosuite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InitialisersTest {
    static class Base {
        static final StringBuilder TEXT = new StringBuilder();

        static {
            TEXT.append("initialised");
        }

        int size() {
            return TEXT.length();
        }
    }

    static class Derived extends Base {
        int half() {
            return size() / 2;
        }
    }

    private static InputStream classFile(String name) {
        return name.startsWith("java.") ? null : InitialisersTest.class.getResourceAsStream("/" + name.replace('.', '/') + ".class");
    }

    @Test
    void theLinesOfASuperclassAreThereAndThoseOfMethodsAreNot() {
        Map<String, int[]> found = new Initialisers(InitialisersTest::classFile).of(Derived.class.getName());
        assertEquals(Arrays.asList(Derived.class.getName(), Base.class.getName()), new ArrayList<>(found.keySet()));
        assertEquals(0, found.get(Derived.class.getName()).length);
        int[] lines = found.get(Base.class.getName());
        // The field, what the block does, its end.
        assertEquals(3, lines.length);
        assertEquals(lines[0] + 3, lines[1]);
        assertEquals(lines[1] + 1, lines[2]);
    }

    @Test
    void aClassThatIsNotThereHasNone() {
        assertTrue(new Initialisers(name -> null).of("a.B").isEmpty());
    }
}
