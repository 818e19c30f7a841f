package fdc.record;

import java.util.ArrayDeque;
import java.util.BitSet;

/**
 * Gives the lines of static initialisers to every test that needs them.
 *
 * <p>The JVM initialises a class once, in whichever test happens to come first. So lines that run
 * inside a static initialiser, in other classes too when it calls them, are kept with the class, and
 * no test gets them as its own. When a test ends it is given the initialiser lines of each class it
 * needs. It needs a class when
 * <ul>
 * <li>it covered a line of the class,
 * <li>it ran an instruction, of code under test or of test code, that reads or writes a static field of
 *     the class, calls a static method of it or makes an instance of it,
 * <li>the class is the test's own, or one around it,
 * <li>the initialiser ran in this test, or in the set-up of its class,
 * <li>the class is the superclass of a class it needs,
 * <li>the class is an interface with default methods that a class it needs, or a lambda it made,
 *     implements, or
 * <li>the initialiser lines of a class it needs would need the class by these rules.
 * </ul>
 * A class that is reached by reflection alone and has no covered line is needed by the test that
 * came first only. A line that throws before it comes to such an instruction counts as having run it.
 */
final class Initialisers {
    private Initialisers() {}

    /** Adds to a test's lines those of the static initialisers it needs. */
    static void complete(Lines lines, String testClass, BitSet ranHere) {
        BitSet direct = needsOf(lines);
        direct.or(ranHere);
        for (String name = testClass.replace('.', '/'); name != null; name = outer(name)) {
            int unit = Units.latest(name);
            if (unit >= 0) {
                direct.set(unit);
            }
        }
        int version = Units.version();
        BitSet needed = new BitSet();
        for (int unit = direct.nextSetBit(0); unit >= 0; unit = direct.nextSetBit(unit + 1)) {
            needed.or(closure(unit, version));
        }
        for (int unit = needed.nextSetBit(0); unit >= 0; unit = needed.nextSetBit(unit + 1)) {
            lines.add(Units.get(unit).initialiserLines(version));
        }
    }

    private static BitSet closure(int start, int version) {
        Unit unit = Units.get(start);
        if (unit.closureVersion == version) {
            return unit.closure;
        }
        BitSet reached = new BitSet();
        ArrayDeque<Integer> waiting = new ArrayDeque<>();
        reached.set(start);
        waiting.add(start);
        while (!waiting.isEmpty()) {
            Unit each = Units.get(waiting.remove());
            BitSet next = needsOf(each.initialiserLines(version));
            addParents(each, next);
            next.andNot(reached);
            reached.or(next);
            for (int more = next.nextSetBit(0); more >= 0; more = next.nextSetBit(more + 1)) {
                waiting.add(more);
            }
        }
        unit.closure = reached;
        unit.closureVersion = version;
        return reached;
    }

    /** The units that these lines are of, or initialise. */
    private static BitSet needsOf(Lines lines) {
        BitSet needs = new BitSet();
        for (int unit = lines.firstUnit(); unit < lines.endUnit(); unit++) {
            if (!lines.has(unit)) {
                continue;
            }
            needs.set(unit);
            Need[][] byProbe = Units.get(unit).needs;
            for (int probe = lines.next(unit, 0); probe >= 0; probe = lines.next(unit, probe + 1)) {
                if (byProbe[probe] != null) {
                    for (Need need : byProbe[probe]) {
                        add(need, Units.get(unit).loader, needs);
                    }
                }
            }
        }
        return needs;
    }

    private static void add(Need need, int loader, BitSet units) {
        if (need.implemented) {
            addInterface(need.name, loader, units);
            return;
        }
        for (int unit : Units.named(need.name, loader)) {
            units.set(unit);
        }
    }

    /** The superclass of a class, and the interfaces it implements; an interface initialises no other. */
    private static void addParents(Unit of, BitSet units) {
        if (!of.kind.isInterface) {
            for (int parent : Units.named(of.kind.superName, of.loader)) {
                units.set(parent);
            }
            for (String face : of.kind.interfaces) {
                addInterface(face, of.loader, units);
            }
        }
    }

    private static void addInterface(String name, int loader, BitSet units) {
        for (int unit : Units.named(name, loader)) {
            Unit.Kind kind = Units.get(unit).kind;
            if (kind.hasDefaultMethods) {
                units.set(unit);
            }
            for (String face : kind.interfaces) {
                addInterface(face, loader, units);
            }
        }
    }

    private static String outer(String name) {
        int end = name.lastIndexOf('$');
        return end > 0 ? name.substring(0, end) : null;
    }
}
