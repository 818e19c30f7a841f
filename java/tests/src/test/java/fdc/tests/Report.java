package fdc.tests;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a JVM left in its spool folder, and how it ended. */
record Report(int exitCode, String output, List<JsonObject> events, Map<String, Test> tests, Set<String> functions) {
    /** How a test ended; its lines as {@code File.java:12}. */
    record Test(String outcome, String note, Set<String> lines) {}

    static Report read(Path spool, int exitCode, String output) throws IOException {
        List<JsonObject> events = new ArrayList<>();
        Map<String, Test> tests = new TreeMap<>();
        Set<String> functions = new TreeSet<>();
        try (Stream<Path> files = Files.list(spool).sorted()) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Map<String, List<String>> units = new HashMap<>();
                for (String line : Files.readAllLines(file)) {
                    JsonObject event = JsonParser.parseString(line).getAsJsonObject();
                    events.add(event);
                    switch (event.get("event").getAsString()) {
                        case "unit" -> units.put(event.get("id").getAsString(), probes(event, functions));
                        case "end" -> tests.put(event.get("test").getAsString(), test(event, units));
                        default -> { }
                    }
                }
            }
        }
        return new Report(exitCode, output, events, tests, functions);
    }

    /** Test ids with their outcomes. */
    Map<String, String> outcomes() {
        return tests.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, e -> e.getValue().outcome(),
                (a, b) -> b, TreeMap::new));
    }

    /** The last events of a kind, as text. */
    List<String> texts(String event, String key) {
        return events.stream().filter(each -> each.get("event").getAsString().equals(event))
                .map(each -> each.get(key).getAsString()).toList();
    }

    List<String> troubles() {
        return texts("trouble", "message");
    }

    boolean saidBye() {
        return !events.isEmpty() && events.get(events.size() - 1).get("event").getAsString().equals("bye");
    }

    /** The lines of a file that a test covers. */
    Set<Integer> lines(String test, String file) {
        if (!tests.containsKey(test)) {
            throw new AssertionError("no test " + test + " among " + tests.keySet() + "\n" + output);
        }
        return tests.get(test).lines().stream().filter(line -> line.startsWith(file + ":"))
                .map(line -> Integer.valueOf(line.substring(file.length() + 1))).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> probes(JsonObject unit, Set<String> functions) {
        List<String> probes = new ArrayList<>();
        for (JsonElement function : unit.getAsJsonArray("functions")) {
            functions.add(function.getAsJsonObject().get("name").getAsString());
            for (JsonElement line : function.getAsJsonObject().getAsJsonArray("lines")) {
                probes.add(unit.get("file").getAsString() + ":" + line.getAsInt());
            }
        }
        return probes;
    }

    private static Test test(JsonObject end, Map<String, List<String>> units) {
        Set<String> lines = new TreeSet<>();
        end.getAsJsonObject("cover").entrySet().forEach(cover -> {
            JsonArray runs = cover.getValue().getAsJsonArray();
            for (int i = 0; i < runs.size(); i += 2) {
                int first = runs.get(i).getAsInt();
                lines.addAll(units.get(cover.getKey()).subList(first, first + runs.get(i + 1).getAsInt()));
            }
        });
        JsonElement note = end.get("note");
        return new Test(end.get("outcome").getAsString(), note == null ? null : note.getAsString(), lines);
    }
}
