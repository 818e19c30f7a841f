package fdc.evosuite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GuideTest {
    private static final String WHOLE = "library=/a/libfdc_jni.so\ncase=/a/case.fdc\nfailing=a.CTest#m\nmetric=rlfdc\n"
            + "kept=/a/kept.rows\nreport=/a/rounds.jsonl\n";

    @TempDir
    Path folder;

    private Path guide(String text) throws IOException {
        return Files.write(folder.resolve("guide"), text.getBytes(StandardCharsets.UTF_8));
    }

    private String refused(String text) throws IOException {
        Path file = guide(text);
        String message = assertThrows(GuideException.class, () -> Guide.read(file)).getMessage();
        return message.replace(file.toString(), "GUIDE");
    }

    @Test
    void aGuideIsReadAsItIsWritten() throws IOException {
        Guide guide = Guide.read(guide(WHOLE + "round_seconds=0.5\n"));
        assertEquals("/a/libfdc_jni.so", guide.library);
        assertEquals("/a/case.fdc", guide.caseFile);
        assertEquals("a.CTest#m", guide.failing);
        assertEquals("rlfdc", guide.metric);
        assertNull(guide.model);
        assertEquals("kept.rows", guide.kept.getFileName().toString());
        assertEquals("rounds.jsonl", guide.report.getFileName().toString());
        assertEquals(0.5, guide.roundSeconds);
        assertEquals(0, guide.roundGenerations);
    }

    @Test
    void roundsAreTimedUnlessTheyAreCounted() throws IOException {
        assertEquals(2, Guide.read(guide(WHOLE)).roundSeconds);
        Guide counted = Guide.read(guide(WHOLE + "round_generations=7\n"));
        assertEquals(7, counted.roundGenerations);
        assertEquals(0, counted.roundSeconds);
    }

    @Test
    void namesOutsideLatinAreRead() throws IOException {
        assertEquals("a.CTest#prüft", Guide.read(guide(WHOLE.replace("#m", "#prüft"))).failing);
    }

    @Test
    void everyNeededKeyIsMissed() throws IOException {
        for (String key : new String[] {"library", "case", "failing", "metric", "kept", "report"}) {
            assertEquals("GUIDE: expected a value of " + key + ", found none; add " + key + "=...",
                    refused(WHOLE.replaceAll("(?m)^" + key + "=.*$", "")));
        }
    }

    @Test
    void wrongKeysAndValuesAreRefused() throws IOException {
        assertEquals("GUIDE: expected only known keys, found metrik, rounds; known are library, case, failing, metric, kept, "
                + "report, model, round_seconds, round_generations", refused(WHOLE + "rounds=3\nmetrik=x\n"));
        assertEquals("GUIDE: expected a number above 0 for round_seconds, found soon; correct it", refused(WHOLE + "round_seconds=soon\n"));
        assertEquals("GUIDE: expected a number above 0 for round_seconds, found NaN; correct it", refused(WHOLE + "round_seconds=NaN\n"));
        assertEquals("GUIDE: expected a whole number above 0 for round_generations, found 0; correct it", refused(WHOLE + "round_generations=0\n"));
        assertEquals("GUIDE: expected a whole number above 0 for round_generations, found 1.5; correct it", refused(WHOLE + "round_generations=1.5\n"));
        assertEquals("GUIDE: expected round_seconds or round_generations, found both; leave one out",
                refused(WHOLE + "round_seconds=1\nround_generations=1\n"));
    }

    @Test
    void aGuideThatIsNotThereIsNamed() {
        Path file = folder.resolve("none");
        String message = assertThrows(GuideException.class, () -> Guide.read(file)).getMessage();
        assertEquals(file + ": expected a properties file in UTF-8, found java.nio.file.NoSuchFileException: " + file + "; write it again", message);
    }
}
