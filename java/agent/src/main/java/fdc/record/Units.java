package fdc.record;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** All units of this JVM. */
public final class Units {
    /** By name, then by loader: one class may be loaded by several. */
    private static final Map<String, Map<Integer, Integer>> BY_NAME = new HashMap<>();
    private static final Map<ClassLoader, Integer> LOADERS = new WeakHashMap<>();
    private static final AtomicInteger INITIALISED = new AtomicInteger();
    private static volatile Unit[] units = new Unit[256];
    private static volatile int count;
    private static int nextLoader;

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
        BY_NAME.computeIfAbsent(unit.kind.name, name -> new LinkedHashMap<>(2)).put(unit.loader, id);
        count = id + 1;
        return id;
    }

    static Unit get(int id) {
        return units[id];
    }

    static int count() {
        return count;
    }

    /** The unit that a class of this loader means by a name; those of other loaders if it has none itself. */
    static synchronized Collection<Integer> named(String name, int loader) {
        Map<Integer, Integer> ids = BY_NAME.get(name);
        if (ids == null) {
            return Collections.emptyList();
        }
        Integer own = ids.get(loader);
        return own != null ? Collections.singletonList(own) : new ArrayList<>(ids.values());
    }

    /** The last unit of a name that was loaded; -1 when there is none. */
    static synchronized int latest(String name) {
        Map<Integer, Integer> ids = BY_NAME.get(name);
        return ids == null ? -1 : Collections.max(ids.values());
    }

    /** A number for a loader, so that it can be unloaded. */
    public static synchronized int loader(ClassLoader loader) {
        return LOADERS.computeIfAbsent(loader, l -> nextLoader++);
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
