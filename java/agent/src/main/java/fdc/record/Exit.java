package fdc.record;

import java.util.Collection;
import java.util.Map;

/** Who ends the JVM. */
final class Exit {
    private Exit() {}

    /** The thread that called {@code System.exit}; null when the JVM ends for another reason, such as a signal. */
    static Thread cause() {
        for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
            boolean exits = false;
            for (StackTraceElement frame : each.getValue()) {
                exits |= frame.getClassName().equals("java.lang.Runtime") && frame.getMethodName().equals("exit");
                if (exits && isRunner(frame.getClassName())) {
                    return null;
                }
                if (exits && frame.getMethodName().startsWith("invoke")) {
                    // From here on down it is the runner that called the test.
                    break;
                }
            }
            if (exits) {
                return each.getKey();
            }
        }
        return null;
    }

    /** The test that runs on this thread, or else the only one there is. */
    static OpenTest blame(Thread cause, Collection<OpenTest> open) {
        if (cause == null) {
            return null;
        }
        OpenTest only = null;
        for (OpenTest test : open) {
            if (test.thread == cause) {
                return test;
            }
            only = test;
        }
        return open.size() == 1 ? only : null;
    }

    private static boolean isRunner(String className) {
        return className.startsWith("org.apache.maven.") || className.startsWith("org.gradle.")
                || className.startsWith("worker.org.gradle.");
    }
}
