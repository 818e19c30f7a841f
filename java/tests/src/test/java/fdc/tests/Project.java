package fdc.tests;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * A small project in a folder: sources of a fixture or given as text, compiled, and run with the agent.
 *
 * <p>Files whose name ends with {@code Test.java} are test code, all others are code under test.
 */
final class Project {
    private final Path folder;
    private final Map<String, String> sources = new TreeMap<>();
    private final List<String> plan = new ArrayList<>();
    private final List<String> jvm = new ArrayList<>();
    private String junit = Jars.JUNIT4;
    private int release = 8;
    private boolean compiled;
    private int runs;

    Project(Path folder) {
        this.folder = folder;
    }

    /** Takes the sources of a folder of fixtures. */
    Project fixture(String name) throws IOException {
        Path fixture = Path.of(System.getProperty("fdc.fixtures")).resolve(name);
        try (Stream<Path> files = Files.walk(fixture)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                source(fixture.relativize(file).toString().replace(File.separatorChar, '/'), Files.readString(file));
            }
        }
        return this;
    }

    Project source(String file, String text) {
        sources.put(file, text);
        return this;
    }

    Project release(int release) {
        this.release = release;
        return this;
    }

    Project junit(String classPath) {
        this.junit = classPath;
        return this;
    }

    /** Adds lines to the plan. */
    Project plan(String... lines) {
        plan.addAll(List.of(lines));
        return this;
    }

    /** Drops what was added to the plan. */
    Project freshPlan() {
        plan.clear();
        return this;
    }

    /** Adds options of the JVM. */
    Project jvm(String... options) {
        jvm.addAll(List.of(options));
        return this;
    }

    Map<String, String> sources() {
        return sources;
    }

    Path classes() {
        return folder.resolve("classes");
    }

    Path testClasses() {
        return folder.resolve("test-classes");
    }

    /** Compiles, if that is not done yet, runs the tests with the launcher, and reads the report. */
    Report run(String... launcherOptions) throws IOException, InterruptedException {
        if (!compiled) {
            compile(classes(), "", false);
            compile(testClasses(), classes().toString(), true);
            compiled = true;
        }
        runs++;
        Path spool = Files.createDirectories(folder.resolve("spool" + runs));
        Path planFile = folder.resolve("plan" + runs);
        List<String> lines = new ArrayList<>(List.of("root " + folder, "classes " + classes()));
        if (plan.stream().noneMatch(line -> line.startsWith("measure "))) {
            lines.add("measure yes");
        }
        lines.addAll(plan);
        Files.write(planFile, lines);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-javaagent:" + Jars.AGENT);
        command.add("-Xshare:auto");
        command.addAll(jvm);
        command.addAll(List.of("-cp", String.join(File.pathSeparator, Jars.LAUNCHER.toString(), classes().toString(),
                testClasses().toString(), junit), "fdc.junit.Main"));
        command.addAll(List.of(launcherOptions));
        command.add(testClasses().toString());
        Path output = folder.resolve("output" + runs);
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().put("FDC_SPOOL", spool.toString());
        builder.environment().put("FDC_PLAN", planFile.toString());
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        Process process = builder.redirectOutput(output.toFile()).start();
        if (!process.waitFor(5, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new IOException("the JVM does not end; its output: " + Files.readString(output));
        }
        return Report.read(spool, process.exitValue(), Files.readString(output));
    }

    private void compile(Path target, String classPath, boolean tests) throws IOException {
        Files.createDirectories(target);
        Path text = Files.createDirectories(folder.resolve(tests ? "test-src" : "src"));
        List<String> files = new ArrayList<>();
        for (Map.Entry<String, String> source : sources.entrySet()) {
            if (source.getKey().endsWith("Test.java") == tests) {
                Path file = text.resolve(source.getKey());
                Files.createDirectories(file.getParent());
                files.add(Files.writeString(file, source.getValue()).toString());
            }
        }
        if (files.isEmpty()) {
            return;
        }
        List<String> options = new ArrayList<>(List.of("-g", "-nowarn", "-Xlint:-options", "-proc:none", "--release",
                String.valueOf(release), "-d", target.toString(), "-cp", String.join(File.pathSeparator, classPath, junit)));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (var manager = compiler.getStandardFileManager(null, null, null)) {
            var units = manager.getJavaFileObjectsFromStrings(files);
            if (!compiler.getTask(messages, manager, null, options, null, units).call()) {
                throw new IOException("the fixture does not compile: " + messages);
            }
        }
    }
}
