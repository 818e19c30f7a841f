package fdc.evosuite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptRowsTest {
    @TempDir
    Path folder;

    @Test
    void whatIsAddedIsReadAgain() throws IOException {
        Path file = folder.resolve("kept.rows");
        KeptRows kept = new KeptRows(file, 70);
        assertTrue(kept.read().isEmpty());
        Row one = new Row(new long[] {1 | 1L << 63, 1L << 5}, 0);
        Row two = new Row(new long[] {0, 1}, 0);
        kept.add(one);
        kept.add(two);
        assertEquals("0 63 69\n64\n", new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        assertEquals(Arrays.asList(one, two), new KeptRows(file, 70).read());
    }

    @Test
    void rowsOfAnotherCaseAreRefused() throws IOException {
        for (String wrong : new String[] {"70", "-1", "x", "1.5", "99999999999"}) {
            Path file = Files.write(folder.resolve("wrong.rows"), ("0 1\n2 " + wrong + "\n").getBytes(StandardCharsets.UTF_8));
            String message = assertThrows(GuideException.class, () -> new KeptRows(file, 70).read()).getMessage();
            assertEquals(file + ": line 2: expected elements from 0 to 69, found " + wrong
                    + "; the file belongs to another case; remove it to start anew", message);
        }
    }
}
