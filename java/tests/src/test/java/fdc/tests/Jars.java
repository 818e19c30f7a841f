package fdc.tests;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What is put on class paths of the JVMs that tests start. */
final class Jars {
    /** The agent, beside what it looks for there. */
    static final Path AGENT = sideBySide("fdc.agent", "fdc.junit");
    static final Path LAUNCHER = AGENT.resolveSibling("fdc-junit.jar");

    static final String JUNIT3 = System.getProperty("fdc.junit3");
    static final String JUNIT4 = of("junit-4", "hamcrest");
    static final String JUPITER = of("junit-jupiter", "junit-platform", "opentest4j", "apiguardian");
    /** Jupiter, and JUnit 3 and 4 under the Platform. */
    static final String VINTAGE = of("junit-", "hamcrest", "opentest4j", "apiguardian");

    private Jars() {}

    private static String of(String... prefixes) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(path -> Arrays.stream(prefixes).anyMatch(new File(path).getName()::startsWith))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Path sideBySide(String... properties) {
        try {
            Path folder = Files.createTempDirectory("fdc-jars");
            folder.toFile().deleteOnExit();
            for (String property : properties) {
                Path jar = Path.of(System.getProperty(property));
                Path copy = Files.copy(jar, folder.resolve(jar.getFileName()));
                copy.toFile().deleteOnExit();
            }
            return folder.resolve("fdc-agent.jar");
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
