package fdc.evosuite;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What a search did, a JSON object a line, added to the file as it happens: a <code>start</code>, a
 * <code>round</code> for every round (at suite level for every test of the final suite that was kept), an
 * <code>end</code>.
 */
public final class Report {
    private final Path file;
    private final String className;

    public Report(Path file, String className) {
        this.file = file;
        this.className = className;
    }

    public void start(int elements, int known, int groups) {
        write(event("start").with("elements", elements).with("known", known).with("groups", groups));
    }

    public void round(Round round) {
        write(event("round").with("round", round.number).with("value", round.value).with("kept", round.kept)
                .with("covers", round.row.covers()).with("outside", round.row.outside())
                .with("groups_before", round.groupsBefore).with("groups", round.groups)
                .with("evaluations", round.evaluations).with("generations", round.generations)
                .with("seconds", round.seconds));
    }

    public void end(long evaluations, long generations, double nativeSeconds, int tests) {
        write(event("end").with("evaluations", evaluations).with("generations", generations)
                .with("native_seconds", nativeSeconds).with("tests", tests));
    }

    /** What one round found. */
    public static final class Round {
        public int number;
        public double value;
        public boolean kept;
        public Row row;
        public int groupsBefore;
        public int groups;
        public long evaluations;
        public long generations;
        public double seconds;
    }

    private Line event(String name) {
        return new Line().with("event", name).with("class", className);
    }

    private void write(Line line) {
        try {
            Files.write(file, line.toString().getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException error) {
            throw new GuideException(file, "expected to add to the report, found " + error, "make room, or name another file");
        }
    }

    private static final class Line {
        private final StringBuilder text = new StringBuilder();

        Line with(String key, String value) {
            return raw(key, quoted(value));
        }

        Line with(String key, boolean value) {
            return raw(key, String.valueOf(value));
        }

        Line with(String key, long value) {
            return raw(key, String.valueOf(value));
        }

        Line with(String key, double value) {
            // JSON has no NaN and no infinity.
            return raw(key, Double.isNaN(value) || Double.isInfinite(value) ? "null" : String.valueOf(value));
        }

        @Override
        public String toString() {
            return "{" + text + "}\n";
        }

        private Line raw(String key, String value) {
            text.append(text.length() == 0 ? "" : ",").append(quoted(key)).append(':').append(value);
            return this;
        }

        private static String quoted(String value) {
            StringBuilder quoted = new StringBuilder("\"");
            for (int place = 0; place < value.length(); place++) {
                char character = value.charAt(place);
                if (character == '"' || character == '\\') {
                    quoted.append('\\').append(character);
                } else if (character < ' ') {
                    quoted.append(String.format("\\u%04x", (int) character));
                } else {
                    quoted.append(character);
                }
            }
            return quoted.append('"').toString();
        }
    }
}
