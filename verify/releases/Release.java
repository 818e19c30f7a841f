import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.util.Textifier;
import org.objectweb.asm.util.TraceMethodVisitor;

/**
 * The classes of a jar, and what their methods say.
 *
 * <p>What the compiler numbers (lambdas, accessors, anonymous and local classes) has other numbers in the
 * next release. It is no method of its own here but part of the method that names it, and {@link
 * #renamed} gives it names that no other release has.
 */
final class Release {
    static final Pattern NUMBERED_CLASS = Pattern.compile("\\$\\d");
    private static final Pattern NUMBERED = Pattern.compile("((?:\\w+/)*[\\w$]+)\\.((?:lambda\\$|access\\$|\\$values)[\\w$]*) ?(\\([^)]*\\)\\[*(?:\\w(?!\\w)|L[\\w/$]+;))|((?:\\w+/)+[\\w$]*\\$\\d[\\w$]*)");

    final Map<String, byte[]> bytes = new TreeMap<>();
    private final Map<String, ClassNode> plain = new HashMap<>();
    private final Map<String, String> texts = new HashMap<>();

    static Release read(Path jar) throws IOException {
        Release release = new Release();
        try (JarFile file = new JarFile(jar.toFile())) {
            for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements();) {
                JarEntry entry = entries.nextElement();
                String name = entry.getName();
                if (name.endsWith(".class") && !name.startsWith("META-INF/") && !name.endsWith("-info.class")) {
                    try (InputStream stream = file.getInputStream(entry)) {
                        release.bytes.put(name.substring(0, name.length() - ".class".length()), stream.readAllBytes());
                    }
                }
            }
        }
        return release;
    }

    ClassNode node(String name) {
        return parsed(bytes.get(name), 0);
    }

    static ClassNode parsed(byte[] bytes, int flags) {
        ClassNode node = new ClassNode();
        new ClassReader(bytes).accept(node, flags);
        return node;
    }

    static boolean isNumbered(MethodNode method) {
        return method.name.startsWith("lambda$") || method.name.startsWith("access$") || method.name.equals("$values") || method.name.equals("$deserializeLambda$");
    }

    /** The same classes, with all that the compiler numbers under names that end in "later". */
    Release renamed() {
        Remapper remapper = new Remapper() {
            @Override
            public String map(String name) {
                return bytes.containsKey(name) && NUMBERED_CLASS.matcher(name).find() ? name.replaceAll("\\$(\\d+)", "\\$$1later") : name;
            }

            @Override
            public String mapMethodName(String owner, String name, String descriptor) {
                boolean numbered = name.startsWith("lambda$") || name.startsWith("access$") || name.equals("$values");
                return numbered && bytes.containsKey(owner) ? name + "$later" : name;
            }
        };
        Release release = new Release();
        bytes.forEach((name, own) -> {
            ClassWriter writer = new ClassWriter(0);
            new ClassReader(own).accept(new ClassRemapper(writer, remapper), 0);
            release.bytes.put(remapper.map(name), writer.toByteArray());
        });
        return release;
    }

    /** What the method does, lambdas and anonymous classes included; equal texts do the same. */
    String whole(String owner, String name, String descriptor) {
        String key = owner + "." + name + descriptor;
        String text = texts.get(key);
        if (text == null) {
            text = resolved(own(owner, name, descriptor), owner, new HashSet<>(Set.of(key)));
            texts.put(key, text);
        }
        return text;
    }

    /** The same with anonymous and local classes left out: differs where the method itself does. */
    String withoutClasses(String owner, String name, String descriptor) {
        return resolved(own(owner, name, descriptor), null, new HashSet<>());
    }

    /** With every reference to something numbered replaced by what it says; {@code owner} null: classes are blanked. */
    private String resolved(String text, String owner, Set<String> open) {
        Matcher matcher = NUMBERED.matcher(text);
        StringBuilder made = new StringBuilder();
        while (matcher.find()) {
            String says;
            if (matcher.group(1) != null) {
                String key = matcher.group(1) + "." + matcher.group(2) + matcher.group(3);
                if (!bytes.containsKey(matcher.group(1)) || !open.add(key)) {
                    says = "again";
                } else {
                    says = "{" + resolved(own(matcher.group(1), matcher.group(2), matcher.group(3)), owner, open) + "}";
                }
            } else if (owner == null || !bytes.containsKey(matcher.group(4)) || !open.add(matcher.group(4))) {
                says = "class";
            } else {
                says = "{" + resolved(ofClass(matcher.group(4)), owner, open) + "}";
            }
            matcher.appendReplacement(made, Matcher.quoteReplacement(says));
        }
        return matcher.appendTail(made).toString();
    }

    private String ofClass(String name) {
        StringBuilder text = new StringBuilder();
        ClassNode node = plain(name);
        text.append(node.superName).append(node.interfaces);
        for (FieldNode field : node.fields) {
            text.append(field.name).append(field.desc).append(field.value);
        }
        for (MethodNode method : node.methods) {
            if (!isNumbered(method)) {
                text.append(method.name).append(method.desc).append(own(name, method.name, method.desc));
            }
        }
        return text.toString();
    }

    private String own(String owner, String name, String descriptor) {
        for (MethodNode method : plain(owner).methods) {
            if (method.name.equals(name) && method.desc.equals(descriptor)) {
                Textifier text = new Textifier();
                MethodNode bare = new MethodNode(method.access, method.name, method.desc, null, null);
                method.accept(bare);
                bare.visibleAnnotations = bare.invisibleAnnotations = null;
                bare.accept(new TraceMethodVisitor(text));
                StringWriter writer = new StringWriter();
                text.print(new PrintWriter(writer, true));
                return writer.toString();
            }
        }
        return "absent";
    }

    private ClassNode plain(String name) {
        return plain.computeIfAbsent(name, each -> parsed(bytes.get(each), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES));
    }
}
