package fdc.junit;

import __fdc.Mutant;
import fdc.agent.Roots;
import fdc.record.Session;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Tries mutants one after the other: JUnit and the libraries are loaded once, the project's classes anew
 * for each mutant.
 *
 * <p>The plan names the project's folders and jars ({@code project}), those whose classes come first
 * ({@code woven}), system properties ({@code property}) and tests ({@code test SECONDS ID}). Each line of
 * the standard input is a request: its number, the mutant's, a folder with classes of its own or nothing,
 * and the tests' places in the plan; with tabs between, and commas between places. Results go to the
 * spool; then a line on the standard output says that the request is done, and whether the JVM goes on.
 */
public final class Trials {
    private final ProjectClasses project;
    private final List<String> tests = new ArrayList<>();
    private final List<Double> limits = new ArrayList<>();
    private final JvmState state;

    private Trials(String plan) throws IOException {
        List<File> paths = new ArrayList<>();
        List<File> woven = new ArrayList<>();
        for (String line : Files.readAllLines(Paths.get(plan), StandardCharsets.UTF_8)) {
            int blank = line.indexOf(' ');
            String value = Roots.unescaped(line.substring(blank + 1));
            switch (blank < 0 ? "" : line.substring(0, blank)) {
                case "project":
                    paths.add(new File(value));
                    break;
                case "woven":
                    woven.add(new File(value));
                    break;
                case "property":
                    int equals = value.indexOf('=');
                    System.setProperty(value.substring(0, equals), value.substring(equals + 1));
                    break;
                case "test":
                    int end = value.indexOf(' ');
                    limits.add(Double.valueOf(value.substring(0, end)));
                    tests.add(value.substring(end + 1));
                    break;
                default:
                    break;
            }
        }
        project = new ProjectClasses(paths, woven);
        state = new JvmState();
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream replies = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        // Tests may print as much as they like.
        PrintStream nowhere = new PrintStream(new Nowhere());
        System.setIn(new ByteArrayInputStream(new byte[0]));
        System.setOut(nowhere);
        System.setErr(nowhere);
        Trials trials = new Trials(System.getenv("FDC_PLAN"));
        // The first class of JUnit starts the agent.
        Present.junit();
        try {
            trials.answer(requests, replies);
        } finally {
            // Threads that tests left behind must not keep the JVM alive.
            Runtime.getRuntime().halt(0);
        }
    }

    private void answer(BufferedReader requests, PrintStream replies) throws IOException {
        for (String request = requests.readLine(); request != null; request = requests.readLine()) {
            String[] parts = request.split("\t", -1);
            boolean stays = attempt(Integer.parseInt(parts[1]), parts[2], parts[3].split(","));
            replies.println("fdc " + parts[0] + (stays ? " stays" : " leaves"));
            if (!stays) {
                return;
            }
        }
    }

    /** Whether the JVM is as it was before. */
    private boolean attempt(int mutant, String folder, String[] places) throws IOException {
        Map<String, Double> wanted = new LinkedHashMap<>();
        for (String place : places) {
            wanted.put(tests.get(Integer.parseInt(place)), limits.get(Integer.parseInt(place)));
        }
        Session.renew(wanted);
        ProjectLoader loader = new ProjectLoader(project, folder.isEmpty() ? null : new File(folder));
        Mutant.on = mutant;
        // What tests leave behind for their thread ends with it.
        Thread thread = new Thread(null, () -> ChosenTests.run(wanted.keySet(), loader), "main");
        thread.setContextClassLoader(loader);
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException told) {
            return false;
        }
        return state.restored();
    }

    private static final class Nowhere extends OutputStream {
        @Override
        public void write(int each) {}

        @Override
        public void write(byte[] bytes, int start, int count) {}
    }
}
