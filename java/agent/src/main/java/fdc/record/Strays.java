package fdc.record;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Hits of threads that belonged to no test, to say how many there were. */
final class Strays {
    private static final int MANY = 256;
    private static final List<Strays> ALL = new ArrayList<>();
    private static final Lines OF_DEAD_THREADS = new Lines();

    private final Thread thread = Thread.currentThread();
    private final HitSet hits;

    private Strays(HitSet hits) {
        this.hits = hits;
    }

    /** Watches the current thread's hits. */
    static synchronized void add(HitSet hits) {
        if (ALL.size() >= MANY) {
            for (Iterator<Strays> each = ALL.iterator(); each.hasNext();) {
                Strays strays = each.next();
                if (!strays.thread.isAlive()) {
                    OF_DEAD_THREADS.add(strays.hits.take());
                    each.remove();
                }
            }
        }
        ALL.add(new Strays(hits));
    }

    /** How many different lines no test got from such a thread. */
    static synchronized int count() {
        Lines lines = new Lines();
        lines.add(OF_DEAD_THREADS);
        for (Strays strays : ALL) {
            lines.add(strays.hits.lines());
        }
        return lines.reported();
    }
}
