package fdc.record;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The file through which this JVM reports to fdc: a JSON object a line, each written at once.
 *
 * <p>The file is made when there is something to say about a test, so a JVM without tests leaves
 * none. Past 16 MiB the report goes on in a new file.
 */
final class Spool {
    private static final long LIMIT = 16 << 20;
    private static final int NOTE = 300;

    private final File folder;
    private final List<String> waiting = new ArrayList<>();
    private final BitSet written = new BitSet();
    private FileOutputStream file;
    private long size;
    private int files;
    private boolean broken;

    Spool(File folder) {
        this.folder = folder;
    }

    synchronized void planned(int tests) {
        write("{\"event\":\"plan\",\"tests\":" + tests + "}");
    }

    synchronized void begin(String test) {
        write("{\"event\":\"begin\",\"test\":" + Json.text(test) + "}");
    }

    /** A test that was under way when the JVM ended because of another one. */
    synchronized void abandoned(String test) {
        write("{\"event\":\"abandoned\",\"test\":" + Json.text(test) + "}");
    }

    /** Waits for the first test, for a JVM without tests has no troubles. */
    synchronized void trouble(String message) {
        String line = "{\"event\":\"trouble\",\"message\":" + Json.text(message) + "}";
        if (file == null && files == 0) {
            waiting.add(line);
        } else {
            write(line);
        }
    }

    /** Written even when no test has begun. */
    synchronized void urgentTrouble(String message) {
        write("{\"event\":\"trouble\",\"message\":" + Json.text(message) + "}");
    }

    /** Only if something was written before. */
    synchronized void bye() {
        if (files > 0) {
            write("{\"event\":\"bye\"}");
        }
    }

    synchronized void end(String test, Outcome outcome, double seconds, Lines lines, String note, String trace) {
        if (size > LIMIT) {
            close();
        }
        StringBuilder text = new StringBuilder();
        text.append("{\"event\":\"end\",\"test\":").append(Json.text(test));
        text.append(",\"outcome\":\"").append(outcome.word);
        text.append("\",\"seconds\":").append(Math.round(seconds * 1e6) / 1e6);
        text.append(",\"cover\":{");
        String comma = "";
        for (int unit = lines.firstUnit(); unit < lines.endUnit(); unit++) {
            int probes = lines.has(unit) ? Units.get(unit).reportedProbes : 0;
            int start = lines.next(unit, 0);
            if (start < 0 || start >= probes) {
                continue;
            }
            writeUnit(unit);
            text.append(comma).append('"').append(unit).append("\":[");
            comma = ",";
            String between = "";
            for (int first = start; first >= 0 && first < probes;) {
                int end = Math.min(probes, lines.nextAbsent(unit, first));
                text.append(between).append(first).append(',').append(end - first);
                between = ",";
                first = lines.next(unit, end);
            }
            text.append(']');
        }
        text.append('}');
        if (note != null && !note.isEmpty()) {
            text.append(",\"note\":").append(Json.text(note.length() > NOTE ? note.substring(0, NOTE) : note));
        }
        if (trace != null) {
            text.append(",\"failure\":").append(trace);
        }
        write(text.append('}').toString());
    }

    private void writeUnit(int id) {
        if (written.get(id)) {
            return;
        }
        if (file == null) {
            open();
        }
        written.set(id);
        Unit unit = Units.get(id);
        StringBuilder text = new StringBuilder();
        text.append("{\"event\":\"unit\",\"id\":").append(id);
        text.append(",\"file\":").append(Json.text(unit.file));
        text.append(",\"class\":").append(Json.text(unit.kind.name.replace('/', '.')));
        text.append(",\"root\":").append(Json.text(unit.root));
        text.append(",\"functions\":[");
        String comma = "";
        for (Unit.Function function : unit.functions) {
            text.append(comma).append("{\"name\":").append(Json.text(function.name)).append(",\"lines\":[");
            comma = ",";
            for (int i = 0; i < function.lines.length; i++) {
                text.append(i == 0 ? "" : ",").append(function.lines[i]);
            }
            text.append("]}");
        }
        write(text.append("]}").toString());
    }

    private void write(String line) {
        if (file == null) {
            open();
        }
        if (broken) {
            return;
        }
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        try {
            file.write(bytes);
            size += bytes.length;
        } catch (IOException error) {
            fail(error);
        }
    }

    private void open() {
        if (broken) {
            return;
        }
        String name = processId() + "-" + Long.toString(System.nanoTime(), Character.MAX_RADIX) + "-" + files + ".jsonl";
        try {
            file = new FileOutputStream(new File(folder, name), true);
        } catch (IOException error) {
            fail(error);
            return;
        }
        files++;
        size = 0;
        written.clear();
        for (String line : waiting) {
            write(line);
        }
        waiting.clear();
    }

    private void close() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException error) {
            fail(error);
        }
        file = null;
    }

    /** Tests go on; fdc sees that the report stops without a goodbye. */
    private void fail(IOException error) {
        broken = true;
        System.err.println("fdc: cannot write to the spool folder " + folder + ": " + error.getMessage()
                + "; this JVM is no longer measured");
    }

    private static String processId() {
        try {
            Class<?> handle = Class.forName("java.lang.ProcessHandle");
            return String.valueOf(handle.getMethod("pid").invoke(handle.getMethod("current").invoke(null)));
        } catch (ReflectiveOperationException beforeJava9) {
            // The other way is slower to load.
        }
        String name = ManagementFactory.getRuntimeMXBean().getName();
        int at = name.indexOf('@');
        return at > 0 ? name.substring(0, at) : "jvm";
    }
}
