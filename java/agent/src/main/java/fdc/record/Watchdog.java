package fdc.record;

import java.math.BigDecimal;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Ends the JVM when a test takes too long. */
final class Watchdog extends Thread {
    private final Session session;
    private final double limit;
    private final BlockingQueue<OpenTest> tests = new LinkedBlockingQueue<>();

    Watchdog(Session session, double limit) {
        super(null, null, "fdc-watchdog");
        setDaemon(true);
        this.session = session;
        this.limit = limit;
    }

    void watch(OpenTest test) {
        tests.add(test);
    }

    /** Tests begin in the order of their deadlines, so the first in the queue is always the next to expire. */
    @Override
    public void run() {
        try {
            while (true) {
                OpenTest test = tests.take();
                while (test.takesHits()) {
                    double left = limit - (System.nanoTime() - test.begun) / 1e9;
                    if (left <= 0) {
                        session.timedOut(test, BigDecimal.valueOf(limit).stripTrailingZeros().toPlainString());
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
