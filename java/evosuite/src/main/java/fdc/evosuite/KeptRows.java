package fdc.evosuite;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The file of tests kept so far: a line for each, the numbers of the elements it covers with blanks between.
 * The next class under test goes on from there.
 */
public final class KeptRows {
    private final Path file;
    private final int elements;

    public KeptRows(Path file, int elements) {
        this.file = file;
        this.elements = elements;
    }

    /** All rows in the file; none if there is no file yet. */
    public List<Row> read() {
        List<Row> rows = new ArrayList<>();
        if (!Files.exists(file)) {
            return rows;
        }
        List<String> lines;
        try {
            lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException error) {
            throw new GuideException(file, "expected kept rows, found " + error, "remove the file to start anew");
        }
        for (int number = 1; number <= lines.size(); number++) {
            rows.add(row(lines.get(number - 1), number));
        }
        return rows;
    }

    public void add(Row row) {
        StringBuilder line = new StringBuilder();
        for (int element = 0; element < elements; element++) {
            if ((row.words()[element >> 6] >>> element & 1) == 1) {
                line.append(line.length() == 0 ? "" : " ").append(element);
            }
        }
        line.append('\n');
        try {
            Files.write(file, line.toString().getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException error) {
            throw new GuideException(file, "expected to add a kept row, found " + error, "make room, or name another file");
        }
    }

    private Row row(String line, int number) {
        long[] words = new long[(elements + 63) / 64];
        for (String part : line.trim().isEmpty() ? new String[0] : line.trim().split("\\s+")) {
            int element;
            try {
                element = Integer.parseInt(part);
            } catch (NumberFormatException error) {
                element = -1;
            }
            if (element < 0 || element >= elements) {
                throw new GuideException(file, "line " + number + ": expected elements from 0 to " + (elements - 1)
                        + ", found " + part, "the file belongs to another case; remove it to start anew");
            }
            words[element >> 6] |= 1L << element;
        }
        return new Row(words, 0);
    }
}
