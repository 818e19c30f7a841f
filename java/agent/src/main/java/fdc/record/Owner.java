package fdc.record;

import java.util.BitSet;

/** What the hits of a thread belong to: a test, or the set-up of a class of tests. */
abstract class Owner {
    /** Hits that came by way of a thread. */
    final HitSet hits = new HitSet();
    /** Units whose static initialiser ran for this owner. */
    private final BitSet initialised = new BitSet();

    /** Whether hits still go here. */
    abstract boolean takesHits();

    final synchronized void initialised(int unit) {
        initialised.set(unit);
    }

    final synchronized void addInitialised(BitSet units) {
        units.or(initialised);
    }
}
