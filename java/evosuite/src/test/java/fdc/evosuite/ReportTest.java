package fdc.evosuite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
    @TempDir
    Path folder;

    @Test
    void everyEventIsALine() throws IOException {
        Path file = folder.resolve("rounds.jsonl");
        Report report = new Report(file, "a.B$C");
        report.start(10, 4, 1);
        Report.Round round = new Report.Round();
        round.number = 1;
        round.value = 0.25;
        round.kept = true;
        round.row = new Row(new long[] {7}, 2);
        round.groupsBefore = 1;
        round.groups = 3;
        round.evaluations = 100;
        round.generations = 5;
        round.seconds = 1.5;
        report.round(round);
        round.value = Double.NaN;
        round.kept = false;
        report.round(round);
        report.end(200, 10, 0.125, 1);
        assertEquals(Arrays.asList(
                "{\"event\":\"start\",\"class\":\"a.B$C\",\"elements\":10,\"known\":4,\"groups\":1}",
                "{\"event\":\"round\",\"class\":\"a.B$C\",\"round\":1,\"value\":0.25,\"kept\":true,\"covers\":3,\"outside\":2,"
                        + "\"groups_before\":1,\"groups\":3,\"evaluations\":100,\"generations\":5,\"seconds\":1.5}",
                "{\"event\":\"round\",\"class\":\"a.B$C\",\"round\":1,\"value\":null,\"kept\":false,\"covers\":3,\"outside\":2,"
                        + "\"groups_before\":1,\"groups\":3,\"evaluations\":100,\"generations\":5,\"seconds\":1.5}",
                "{\"event\":\"end\",\"class\":\"a.B$C\",\"evaluations\":200,\"generations\":10,\"native_seconds\":0.125,\"tests\":1}"),
                Files.readAllLines(file, StandardCharsets.UTF_8));
    }

    @Test
    void aReportIsAddedTo() throws IOException {
        Path file = folder.resolve("rounds.jsonl");
        new Report(file, "a.B").start(1, 1, 1);
        new Report(file, "a.\"\\\n").start(1, 1, 1);
        assertEquals("{\"event\":\"start\",\"class\":\"a.\\\"\\\\\\u000a\",\"elements\":1,\"known\":1,\"groups\":1}",
                Files.readAllLines(file, StandardCharsets.UTF_8).get(1));
    }

    @Test
    void aReportThatCannotBeWrittenSaysSo() {
        Path file = folder.resolve("none").resolve("rounds.jsonl");
        String message = assertThrows(GuideException.class, () -> new Report(file, "a.B").start(1, 1, 1)).getMessage();
        assertEquals(file + ": expected to add to the report, found java.nio.file.NoSuchFileException: " + file
                + "; make room, or name another file", message);
    }
}
