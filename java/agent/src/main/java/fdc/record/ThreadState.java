package fdc.record;

import java.util.ArrayDeque;

/** What a thread is doing: for which test or class of tests, inside which static initialisers. */
final class ThreadState {
    /** A thread starts out with the owner of the thread that made it. */
    private static final InheritableThreadLocal<ThreadState> STATES = new InheritableThreadLocal<ThreadState>() {
        @Override
        protected ThreadState initialValue() {
            return new ThreadState(null);
        }

        @Override
        protected ThreadState childValue(ThreadState parent) {
            return new ThreadState(parent.owner());
        }
    };

    private final Owner inherited;
    private final ArrayDeque<Owner> owners = new ArrayDeque<>();
    private final ArrayDeque<HitSet> initialisers = new ArrayDeque<>();
    private HitSet strays;
    private int pauses;

    private ThreadState(Owner inherited) {
        this.inherited = inherited;
    }

    static ThreadState current() {
        return STATES.get();
    }

    /** The test this thread works for, or null. */
    OpenTest test() {
        Owner owner = owner();
        return owner instanceof OpenTest && owner.takesHits() ? (OpenTest) owner : null;
    }

    /** The innermost class of tests this thread is in, or null. */
    TestClass testClass() {
        for (Owner owner : owners) {
            if (owner instanceof TestClass) {
                return (TestClass) owner;
            }
        }
        return inherited instanceof TestClass ? (TestClass) inherited : null;
    }

    boolean isIn(TestClass testClass) {
        return inherited == testClass || owners.contains(testClass);
    }

    void push(Owner owner) {
        owners.push(owner);
    }

    /** Removes the owner and whatever was begun after it and never ended. */
    void pop(Owner owner) {
        if (owners.contains(owner)) {
            while (owners.pop() != owner) {
                continue;
            }
        }
    }

    /** Where a hit of this thread goes when hits belong to threads. */
    HitSet sink() {
        Owner owner = owner();
        if (owner != null && owner.takesHits()) {
            return owner.hits;
        }
        if (strays == null) {
            strays = new HitSet();
            Strays.add(strays);
        }
        return strays;
    }

    /** Hits since the thread's last test that went to nobody; they are forgotten here. */
    Lines takeStrays() {
        return strays == null ? new Lines() : strays.take();
    }

    /** Where a hit inside a static initialiser goes; null outside of one. */
    HitSet initialiser() {
        return initialisers.peek();
    }

    void enter(int unit) {
        Owner owner = owner();
        if (owner == null || !owner.takesHits()) {
            owner = Session.onlyTest();
        }
        if (owner != null && !isPaused()) {
            owner.initialised(unit);
        }
        initialisers.push(Units.get(unit).initialiser);
    }

    void leave() {
        initialisers.poll();
    }

    void pause() {
        pauses++;
    }

    void resume() {
        pauses--;
    }

    /** Whether what runs only puts a failure into words. */
    boolean isPaused() {
        return pauses > 0;
    }

    private Owner owner() {
        Owner owner = owners.peek();
        return owner == null ? inherited : owner;
    }
}
