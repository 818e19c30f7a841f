package fdc.weave;

import fdc.record.Need;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A method as it stands in the class file. Instructions are known by their number, from 0. */
final class MethodShape {
    final String name;
    final String descriptor;
    /** Instructions where a line begins, or where a jump from another line enters one; the line of each. */
    final TreeMap<Integer, Integer> starts = new TreeMap<>();
    /** Instructions that are not always run when the one before them is. */
    final BitSet blocks = new BitSet();
    /** Instructions that make the JVM initialise a class. */
    final List<Site> sites = new ArrayList<>();
    /** The methods of lambdas that it makes, as name and descriptor. */
    final Set<String> lambdas = new LinkedHashSet<>();
    /** Made by the compiler: no probes. */
    boolean ignored;
    /** The probe of each line. */
    Map<Integer, Integer> lineProbes = new HashMap<>();
    /** Further probes, by instruction. */
    final Map<Integer, Integer> siteProbes = new HashMap<>();

    MethodShape(String name, String descriptor, boolean ignored) {
        this.name = name;
        this.descriptor = descriptor;
        this.ignored = ignored;
    }

    /** An instruction that makes the JVM initialise a class. */
    static final class Site {
        final int instruction;
        final Need need;

        Site(int instruction, Need need) {
            this.instruction = instruction;
            this.need = need;
        }
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

    /** The start of a line after which the instruction is always run; -1 when there is none. */
    int startBefore(int instruction) {
        Integer start = starts.floorKey(instruction);
        if (start == null) {
            return -1;
        }
        int block = blocks.previousSetBit(instruction);
        return block > start ? -1 : start;
    }
}
