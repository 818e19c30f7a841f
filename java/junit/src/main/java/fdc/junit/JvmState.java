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

    /** New threads that would keep a JVM alive, or that work on. */
    private boolean hasBusyThreads() {
        for (int nap = 0; nap < NAPS; nap++) {
            Set<Thread> now = threads();
            boolean busy = false;
            for (Thread thread : now) {
                boolean works = !thread.isDaemon() || thread.getState() == Thread.State.RUNNABLE;
                busy |= works && !threads.contains(thread) && thread.isAlive() && !thread.getName().startsWith("fdc-");
            }
            if (!busy) {
                threads = now;
                return false;
            }
            try {
                Thread.sleep(NAP);
            } catch (InterruptedException told) {
                return true;
            }
        }
        return true;
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
