package fdc.junit;

import java.io.InputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.HashSet;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;

/** What tests may change of a JVM, and what it was. */
final class JvmState {
    /** Threads get so many naps to end by themselves. */
    private static final int NAPS = 20;
    private static final long NAP = 5;
    /** Idle ones, that is; each holds on to the classes of a mutant. */
    private static final int MOST_THREADS = 200;
    private static final double FULL = 0.6;
    private static final long CLASSES = 400L << 20;

    private final Properties properties = (Properties) System.getProperties().clone();
    private final Locale locale = Locale.getDefault();
    private final Locale display = Locale.getDefault(Locale.Category.DISPLAY);
    private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
    private final TimeZone zone = TimeZone.getDefault();
    private final InputStream in = System.in;
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private Set<Thread> threads;

    JvmState() {
        threads = threads();
    }

    /** Puts back what can be; whether nothing else is left behind. */
    boolean restored() {
        System.setProperties((Properties) properties.clone());
        Locale.setDefault(locale);
        Locale.setDefault(Locale.Category.DISPLAY, display);
        Locale.setDefault(Locale.Category.FORMAT, format);
        TimeZone.setDefault(zone);
        System.setIn(in);
        System.setOut(out);
        System.setErr(err);
        Thread.setDefaultUncaughtExceptionHandler(null);
        return !hasBusyThreads() && hasRoom();
    }

    /** New threads that are at work, or will be. */
    private boolean hasBusyThreads() {
        for (int nap = 0; nap < NAPS; nap++) {
            Set<Thread> now = threads();
            boolean busy = false;
            for (Thread thread : now) {
                busy |= !threads.contains(thread) && !thread.getName().startsWith("fdc-") && isAtWork(thread);
            }
            if (!busy) {
                threads = now;
                return now.size() > MOST_THREADS;
            }
            try {
                Thread.sleep(NAP);
            } catch (InterruptedException told) {
                return true;
            }
        }
        return true;
    }

    /** Nobody is left to wake up one that waits without end, as those of a pool do that nobody has closed. */
    private static boolean isAtWork(Thread thread) {
        switch (thread.getState()) {
            case RUNNABLE:
            case BLOCKED:
                return true;
            case TIMED_WAITING:
                return !thread.isDaemon() && !isIdleWorker(thread);
            default:
                return false;
        }
    }

    /** In a pool whose threads end when they have waited for long enough. */
    private static boolean isIdleWorker(Thread thread) {
        boolean isIdle = false;
        for (StackTraceElement call : thread.getStackTrace()) {
            if (call.getClassName().startsWith("java.util.concurrent.ScheduledThreadPoolExecutor")) {
                return false;
            }
            isIdle |= call.getClassName().equals("java.util.concurrent.ThreadPoolExecutor") && call.getMethodName().equals("getTask");
        }
        return isIdle;
    }

    private static Set<Thread> threads() {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all.getParent() != null) {
            all = all.getParent();
        }
        Thread[] found = new Thread[all.activeCount() + 64];
        Set<Thread> threads = new HashSet<>();
        for (int i = all.enumerate(found) - 1; i >= 0; i--) {
            threads.add(found[i]);
        }
        return threads;
    }

    /** Libraries may hold on to what a mutant's classes have made. */
    private static boolean hasRoom() {
        if (!isFull()) {
            return true;
        }
        System.gc();
        return !isFull();
    }

    private static boolean isFull() {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        long classes = ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getUsed();
        return heap.getUsed() > FULL * heap.getMax() || classes > CLASSES;
    }
}
