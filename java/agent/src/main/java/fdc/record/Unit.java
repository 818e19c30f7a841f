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

    /** What a class is to others. */
    public static final class Kind {
        final String name;
        final String superName;
        final String[] interfaces;
        final boolean isInterface;
        /** An interface that the JVM initialises with the classes that implement it. */
        final boolean hasDefaultMethods;

        public Kind(String name, String superName, String[] interfaces, boolean isInterface, boolean hasDefaultMethods) {
            this.name = name;
            this.superName = superName;
            this.interfaces = interfaces;
            this.isInterface = isInterface;
            this.hasDefaultMethods = hasDefaultMethods;
        }
    }

    final Kind kind;
    /** Its class loader, by number. */
    final int loader;
    /** The source file, {@code org/x/Foo.java}. */
    final String file;
    /** The folder or jar of the plan it came from; null for test code. */
    final String root;
    /** Its probes that are reported are the lines of these, laid end to end; any others come after. */
    final List<Function> functions;
    final int reportedProbes;
    final int probes;
    /** Per probe what runs with it makes the JVM initialise, or null. */
    final Need[][] needs;
    /** The lines that ran inside its static initialiser. */
    final HitSet initialiser = new HitSet();
    /** Units whose static initialisers a test needs that needs this one; see {@link Initialisers}. */
    BitSet closure;
    int closureVersion = -1;
    private Lines initialiserLines;
    private int linesVersion = -1;

    public Unit(Kind kind, int loader, String file, String root, List<Function> functions, Need[][] needs) {
        this.kind = kind;
        this.loader = loader;
        this.file = file;
        this.root = root;
        this.functions = functions;
        int lines = 0;
        for (Function function : functions) {
            lines += function.lines.length;
        }
        this.reportedProbes = lines;
        this.probes = needs.length;
        this.needs = needs;
    }

    public boolean hasProbes() {
        return probes > 0;
    }

    /** What ran inside its static initialiser so far; not to be changed. */
    Lines initialiserLines(int version) {
        if (linesVersion != version) {
            initialiserLines = initialiser.lines();
            linesVersion = version;
        }
        return initialiserLines;
    }
}
