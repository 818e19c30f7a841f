import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Compiles tests against classes they were not written for.
 *
 * <pre>java TestCompiler CLASSPATH SOURCES OUT</pre>
 *
 * A method, field or import in which the compiler finds an error is cut out, and all is compiled again,
 * until there is no error left. A file with an error outside of its members is left out. Prints {@code
 * files N}, {@code file PATH} for each that was left out and {@code method PATH NAME} for each that was cut.
 */
public final class TestCompiler {
    private static final int ROUNDS = 60;
    /** Exit code. */
    private static final int UNCOMPILABLE = 3;

    private final Map<String, String> sources = new TreeMap<>();
    private final TreeSet<String> cut = new TreeSet<>();

    public static void main(String[] arguments) {
        try {
            new TestCompiler().compile(arguments[0], Path.of(arguments[1]), Path.of(arguments[2]));
        } catch (IOException error) {
            System.err.println(error.getMessage());
            System.exit(UNCOMPILABLE);
        }
    }

    private void compile(String classPath, Path folder, Path out) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.filter(TestCompiler::isSource).sorted()::iterator) {
                String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
                sources.put(folder.relativize(file).toString().replace(File.separatorChar, '/'), text);
            }
        }
        Files.createDirectories(out);
        System.out.println("files " + sources.size());
        for (int round = 0; round < ROUNDS; round++) {
            if (compiles(classPath, out)) {
                cut.forEach(System.out::println);
                return;
            }
        }
        throw new IOException("still errors after " + ROUNDS + " rounds of cutting");
    }

    /** javac wraps our objects: only their names are the same. */
    private static String path(JavaFileObject file) {
        return file.toUri().getPath().substring(1);
    }

    private static boolean isSource(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".java") && !name.endsWith("-info.java");
    }

    private boolean compiles(String classPath, Path out) throws IOException {
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        StandardJavaFileManager manager = ToolProvider.getSystemJavaCompiler().getStandardFileManager(said, null, StandardCharsets.UTF_8);
        manager.setLocation(StandardLocation.CLASS_OUTPUT, List.of(out.toFile()));
        List<String> options = List.of("-proc:none", "-nowarn", "-g", "-Xmaxerrs", "100000", "-XDshould-stop.ifError=FLOW", "-cp", classPath);
        List<Source> files = new ArrayList<>();
        sources.forEach((path, text) -> files.add(new Source(path, text)));
        if (files.isEmpty()) {
            throw new IOException("no test compiles");
        }
        JavacTask task = (JavacTask) ToolProvider.getSystemJavaCompiler().getTask(null, manager, said, options, null, files);
        Iterable<? extends CompilationUnitTree> units = task.parse();
        task.analyze();
        Map<String, TreeSet<Long>> errors = new TreeMap<>();
        for (Diagnostic<? extends JavaFileObject> each : said.getDiagnostics()) {
            if (each.getKind() == Diagnostic.Kind.ERROR && each.getSource() != null && each.getSource().getKind() == JavaFileObject.Kind.SOURCE) {
                errors.computeIfAbsent(path(each.getSource()), path -> new TreeSet<>()).add(each.getPosition());
            } else if (each.getKind() == Diagnostic.Kind.ERROR) {
                throw new IOException("javac: " + each);
            }
        }
        if (errors.isEmpty()) {
            task.generate();
            return true;
        }
        SourcePositions positions = Trees.instance(task).getSourcePositions();
        for (CompilationUnitTree unit : units) {
            String path = path(unit.getSourceFile());
            for (long position : errors.getOrDefault(path, new TreeSet<>())) {
                cut(unit, path, position, positions);
            }
        }
        return false;
    }

    /** Cuts out the innermost member around the position, or the file if there is none. */
    private void cut(CompilationUnitTree unit, String path, long position, SourcePositions positions) {
        Tree found = null;
        for (ImportTree each : unit.getImports()) {
            found = contains(unit, each, position, positions) ? each : found;
        }
        for (Tree type : unit.getTypeDecls()) {
            Tree inner = contains(unit, type, position, positions) ? member(unit, (ClassTree) type, position, positions) : null;
            found = inner == null ? found : inner;
        }
        String text = sources.get(path);
        if (found == null) {
            sources.remove(path);
            cut.removeIf(line -> line.startsWith("method " + path + " "));
            cut.add("file " + path);
        } else if (text != null) {
            int start = (int) positions.getStartPosition(unit, found);
            int end = (int) positions.getEndPosition(unit, found);
            sources.put(path, text.substring(0, start) + text.substring(start, end).replaceAll("[^\\n]", " ") + text.substring(end));
            if (found instanceof MethodTree) {
                cut.add("method " + path + " " + ((MethodTree) found).getName());
            }
        }
    }

    private static Tree member(CompilationUnitTree unit, ClassTree type, long position, SourcePositions positions) {
        for (Tree each : type.getMembers()) {
            if (contains(unit, each, position, positions)) {
                Tree inner = each instanceof ClassTree ? member(unit, (ClassTree) each, position, positions) : null;
                return inner == null ? each : inner;
            }
        }
        return null;
    }

    private static boolean contains(CompilationUnitTree unit, Tree tree, long position, SourcePositions positions) {
        return positions.getStartPosition(unit, tree) <= position && position < positions.getEndPosition(unit, tree);
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String path, String text) {
            super(URI.create("string:///" + path.replace(" ", "%20")), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
