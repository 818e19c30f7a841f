package fdc.evosuite;

import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.evosuite.shaded.org.objectweb.asm.ClassReader;
import org.evosuite.shaded.org.objectweb.asm.ClassVisitor;
import org.evosuite.shaded.org.objectweb.asm.Label;
import org.evosuite.shaded.org.objectweb.asm.MethodVisitor;
import org.evosuite.shaded.org.objectweb.asm.Opcodes;

/**
 * The lines of static initialisers, which EvoSuite does not watch. The collector gives them to every test that
 * needs the class, whichever test came first; here they belong to a test that runs a line of the class or of a
 * subclass.
 */
public final class Initialisers {
    private final Function<String, InputStream> classes;

    /** Class files by the class's name; null for those that are not to be had. */
    public Initialisers(Function<String, InputStream> classes) {
        this.classes = classes;
    }

    /** The lines of the static initialisers of a class and of its superclasses, by class. */
    public Map<String, int[]> of(String className) {
        Map<String, int[]> found = new LinkedHashMap<>();
        String next = className;
        while (next != null && !found.containsKey(next)) {
            try (InputStream file = classes.apply(next)) {
                if (file == null) {
                    break;
                }
                Reader reader = new Reader();
                new ClassReader(file).accept(reader, ClassReader.SKIP_FRAMES);
                found.put(next, reader.lines.stream().mapToInt(Integer::intValue).toArray());
                next = reader.superclass;
            } catch (IOException error) {
                throw new GuideException("class file of " + next + ": expected to read it, found " + error
                        + "; compile the classes under test again");
            }
        }
        return found;
    }

    private static final class Reader extends ClassVisitor {
        private final TreeSet<Integer> lines = new TreeSet<>();
        private String superclass;

        Reader() {
            super(Opcodes.ASM5);
        }

        @Override
        public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
            superclass = superName == null ? null : superName.replace('/', '.');
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            if (!name.equals("<clinit>")) {
                return null;
            }
            return new MethodVisitor(Opcodes.ASM5) {
                @Override
                public void visitLineNumber(int line, Label start) {
                    lines.add(line);
                }
            };
        }
    }
}
