package fdc.record;

/** How a test failed, as the spool tells it: exception, message, and the calls outside of JDK, JUnit and what starts it. */
final class Trace {
    private static final int FRAMES = 200;
    private static final int MESSAGE = 2000;
    private static final String[] FOREIGN = {
        "java.", "javax.", "jdk.", "sun.", "com.sun.", "org.junit.", "junit.", "fdc.junit.",
        "org.apache.maven.surefire.", "org.gradle.api.internal.tasks.testing.", "worker.org.gradle.",
    };

    private Trace() {}

    /** JSON, or null if the error does not tell. */
    static String of(Throwable error) {
        if (error == null) {
            return null;
        }
        String message;
        StackTraceElement[] calls;
        Probes.pause();
        try {
            message = error.getMessage();
            calls = error.getStackTrace();
        } catch (RuntimeException odd) {
            return null;
        } finally {
            Probes.resume();
        }
        StringBuilder text = new StringBuilder("{\"exception\":");
        text.append(Json.text(error.getClass().getName())).append(",\"message\":");
        text.append(message == null ? "null" : Json.text(message.substring(0, Math.min(MESSAGE, message.length()))));
        text.append(",\"frames\":[");
        int kept = 0;
        for (StackTraceElement call : calls) {
            if (kept < FRAMES && !isForeign(call.getClassName())) {
                text.append(kept++ == 0 ? "[" : ",[").append(Json.text(call.getClassName())).append(',');
                text.append(Json.text(call.getMethodName())).append(',').append(call.getLineNumber()).append(']');
            }
        }
        return text.append("]}").toString();
    }

    private static boolean isForeign(String name) {
        for (String start : FOREIGN) {
            if (name.startsWith(start)) {
                return true;
            }
        }
        return false;
    }
}
