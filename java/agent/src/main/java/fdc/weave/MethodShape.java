package fdc.weave;

import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeMap;

/** A method as it stands in the class file. */
final class MethodShape {
    final String name;
    final String descriptor;
    /** Its lines, and the classes that the code of each may initialise. */
    final TreeMap<Integer, Set<String>> lines = new TreeMap<>();
    /** The methods of lambdas that it makes, as name and descriptor. */
    final Set<String> lambdas = new LinkedHashSet<>();
    /** Numbers of the instructions at which a jump from another line arrives. */
    final BitSet entries = new BitSet();
    /** Made by the compiler: no probes. */
    boolean ignored;
    /** Where its probes are; by line. */
    TreeMap<Integer, Integer> probes = new TreeMap<>();

    MethodShape(String name, String descriptor, boolean ignored) {
        this.name = name;
        this.descriptor = descriptor;
        this.ignored = ignored;
    }

    String key() {
        return name + descriptor;
    }

    boolean isLambda() {
        return name.startsWith("lambda$");
    }

    boolean isStaticInitialiser() {
        return name.equals("<clinit>");
    }
}
