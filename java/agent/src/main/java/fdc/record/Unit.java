package fdc.record;

import java.util.BitSet;
import java.util.List;

/** A class with probes. */
public final class Unit {
    /** A method and its lines; a method of a lambda counts as part of the method that makes it. */
    public static final class Function {
        final String name;
        final int[] lines;

        public Function(String name, int[] lines) {
            this.name = name;
            this.lines = lines;
        }
    }

    final String name;
    final String superName;
    /** The source file, {@code org/x/Foo.java}. */
    final String file;
    /** The folder or jar of the plan it came from; null for test code, which is never reported. */
    final String root;
    final List<Function> functions;
    final int probes;
    /** Per probe the classes that its line initialises, or null; names as in class files. */
    final String[][] needs;
    /** The lines that ran inside its static initialiser. */
    final HitSet initialiser = new HitSet();
    /** Units whose static initialisers a test needs that needs this one; see {@link Initialisers}. */
    BitSet closure;
    int closureVersion = -1;
    private Lines initialiserLines;
    private int linesVersion = -1;

    public Unit(String name, String superName, String file, String root, List<Function> functions, String[][] needs) {
        this.name = name;
        this.superName = superName;
        this.file = file;
        this.root = root;
        this.functions = functions;
        this.probes = needs.length;
        this.needs = needs;
    }

    /** What ran inside its static initialiser so far; not to be changed. */
    Lines initialiserLines(int version) {
        if (linesVersion != version) {
            initialiserLines = initialiser.lines();
            linesVersion = version;
        }
        return initialiserLines;
    }

    public boolean hasLines() {
        return probes > 0;
    }

    boolean reported() {
        return root != null;
    }
}
