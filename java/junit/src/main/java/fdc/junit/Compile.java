package fdc.junit;

import fdc.agent.Roots;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles again and again, with the compiler loaded once, in the way that a project was compiled.
 *
 * <p>Each line of the standard input names a file of lines {@code key value}: {@code path} for the class
 * path, {@code like} for a class that is there already, {@code out} for the folder of what comes out, and
 * {@code source}. The reply is a line for each error, {@code error START END FILE}, in characters, and
 * {@code done} or {@code failed}.
 */
public final class Compile {
    private static final int NO_COMPILER = 5;
    private static final int PREVIEW = 0xffff;
    /** Class files count from here. */
    private static final int BEFORE_JAVA_1 = 44;
    private static final int PROCESSORS_ARE_ASKED_FOR = 23;

    private final JavaCompiler compiler;
    private final PrintStream replies;
    private StandardJavaFileManager files;
    private List<String> path;

    private Compile(JavaCompiler compiler, PrintStream replies) {
        this.compiler = compiler;
        this.replies = replies;
    }

    public static void main(String[] arguments) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            System.exit(NO_COMPILER);
        }
        Compile compile = new Compile(compiler, new PrintStream(System.out, true, "UTF-8"));
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String request = requests.readLine(); request != null; request = requests.readLine()) {
            compile.answer(request);
        }
    }

    private void answer(String request) throws IOException {
        List<String> paths = new ArrayList<>();
        List<File> sources = new ArrayList<>();
        String like = null;
        String out = null;
        for (String line : Files.readAllLines(Paths.get(request), StandardCharsets.UTF_8)) {
            int blank = line.indexOf(' ');
            String value = Roots.unescaped(line.substring(blank + 1));
            switch (line.substring(0, blank)) {
                case "path":
                    paths.add(value);
                    break;
                case "like":
                    like = value;
                    break;
                case "out":
                    out = value;
                    break;
                default:
                    sources.add(new File(value));
                    break;
            }
        }
        // What it has read of jars is of use the next time.
        if (files == null || !paths.equals(path)) {
            files = compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8);
            path = paths;
        }
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options = options(like);
        options.addAll(Arrays.asList("-cp", String.join(File.pathSeparator, paths), "-sourcepath", out, "-d", out));
        boolean done;
        try {
            done = compiler.getTask(null, files, found, options, null, files.getJavaFileObjectsFromFiles(sources)).call();
        } catch (RuntimeException refused) {
            System.err.println(refused);
            done = false;
        }
        for (Diagnostic<? extends JavaFileObject> each : found.getDiagnostics()) {
            if (each.getKind() == Diagnostic.Kind.ERROR && each.getSource() != null) {
                String file = new File(each.getSource().toUri()).getPath();
                replies.println("error " + each.getStartPosition() + ' ' + each.getEndPosition() + ' ' + file);
            }
            if (each.getKind() == Diagnostic.Kind.ERROR) {
                System.err.println(each);
            }
        }
        replies.println(done ? "done" : "failed");
    }

    /** How a class must have been compiled. */
    private List<String> options(String like) throws IOException {
        List<String> options = new ArrayList<>(Arrays.asList("-g", "-nowarn", "-Xlint:none", "-implicit:none", "-Xmaxerrs", "1000000", "-encoding", "UTF-8"));
        List<URL> urls = new ArrayList<>();
        for (String each : path) {
            urls.add(new File(each).toURI().toURL());
        }
        int ours = Integer.parseInt(System.getProperty("java.specification.version").replace("1.", ""));
        try (URLClassLoader classes = new URLClassLoader(urls.toArray(new URL[0]), null)) {
            boolean processors = classes.findResource("META-INF/services/javax.annotation.processing.Processor") != null;
            if (!processors) {
                options.add("-proc:none");
            } else if (ours >= PROCESSORS_ARE_ASKED_FOR) {
                options.add("-proc:full");
            }
            InputStream file = classes.getResourceAsStream(like.replace('.', '/') + ProjectClasses.SUFFIX);
            if (file == null) {
                return options;
            }
            byte[] code = all(file);
            int version = ((code[6] & 0xff) << 8 | code[7] & 0xff) - BEFORE_JAVA_1;
            options.addAll(Arrays.asList("-source", "" + version, "-target", "" + version));
            if (((code[4] & 0xff) << 8 | code[5] & 0xff) == PREVIEW) {
                options.add("--enable-preview");
            }
            if (new String(code, StandardCharsets.ISO_8859_1).contains("MethodParameters")) {
                options.add("-parameters");
            }
        }
        return options;
    }

    private static byte[] all(InputStream file) throws IOException {
        try (InputStream in = file) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            byte[] part = new byte[8192];
            for (int count = in.read(part); count >= 0; count = in.read(part)) {
                all.write(part, 0, count);
            }
            return all.toByteArray();
        }
    }
}
