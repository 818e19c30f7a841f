package fdc.record;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** All units of this JVM. */
public final class Units {
    private static final Map<String, List<Integer>> BY_NAME = new HashMap<>();
    private static final AtomicInteger INITIALISED = new AtomicInteger();
    private static volatile Unit[] units = new Unit[256];
    private static volatile int count;

    private Units() {}

    /** Takes a unit in; its number, or -1 when there are too many. */
    public static synchronized int add(Unit unit) {
        int id = count;
        if (id == Probes.MAX_UNITS) {
            return -1;
        }
        if (id == units.length) {
            units = Arrays.copyOf(units, id * 2);
        }
        units[id] = unit;
        Probes.ROWS[id] = new byte[unit.probes];
        // One class may be loaded by several loaders.
        BY_NAME.computeIfAbsent(unit.kind.name, name -> new ArrayList<>(1)).add(id);
        count = id + 1;
        return id;
    }

    static Unit get(int id) {
        return units[id];
    }

    static int count() {
        return count;
    }

    static synchronized List<Integer> named(String name) {
        List<Integer> ids = BY_NAME.get(name);
        return ids == null ? Collections.<Integer>emptyList() : new ArrayList<>(ids);
    }

    /** A static initialiser has ended. */
    static void initialised() {
        INITIALISED.incrementAndGet();
    }

    /** Changes whenever static initialisers may have covered more, or there are more units. */
    static int version() {
        return INITIALISED.get() + count;
    }
}
