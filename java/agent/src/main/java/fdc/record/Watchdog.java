package fdc.record;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Ends the JVM when a test takes too long. */
final class Watchdog extends Thread {
    private static Watchdog watchdog;

    private final BlockingQueue<Watched> tests = new LinkedBlockingQueue<>();

    private static final class Watched {
        final Session session;
        final OpenTest test;

        Watched(Session session, OpenTest test) {
            this.session = session;
            this.test = test;
        }
    }

    private Watchdog() {
        super(null, null, "fdc-watchdog");
        setDaemon(true);
    }

    /** Watches a test that has begun, if it has a limit. */
    static synchronized void watch(Session session, OpenTest test) {
        if (test.limit <= 0) {
            return;
        }
        if (watchdog == null) {
            watchdog = new Watchdog();
            watchdog.start();
        }
        watchdog.tests.add(new Watched(session, test));
    }

    /** Tests begin about in the order of their deadlines, so the first in the queue is the next to expire. */
    @Override
    public void run() {
        try {
            while (true) {
                Watched next = tests.take();
                while (next.test.takesHits()) {
                    double left = next.test.limit - (System.nanoTime() - next.test.begun) / 1e9;
                    if (left <= 0) {
                        next.session.timedOut(next.test);
                        break;
                    }
                    // In short naps, for most tests end long before their time.
                    Thread.sleep(1 + (long) (1000 * Math.min(left, 0.25)));
                }
            }
        } catch (InterruptedException told) {
            // Nobody does; and without a watchdog tests still run.
            Thread.currentThread().interrupt();
        }
    }
}
