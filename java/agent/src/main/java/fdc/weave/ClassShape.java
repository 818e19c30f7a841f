package fdc.weave;

import fdc.record.Unit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * What a class file holds that probes are made from: methods, their lines, what the lines initialise.
 *
 * <p>Code that the compiler makes has no probes: synthetic classes and methods, bridges, an enum's
 * {@code values} and {@code valueOf}, a record's {@code equals}, {@code hashCode}, {@code toString} and
 * accessors. The synthetic method of a lambda is part of the method that makes the lambda.
 */
final class ClassShape extends ClassVisitor {
    final List<MethodShape> methods = new ArrayList<>();
    private final ClassIndex index;
    String name;
    String superName;
    int access;
    private String source;

    private ClassShape(ClassIndex index) {
        super(Opcodes.ASM9);
        this.index = index;
    }

    static ClassShape of(ClassReader reader, ClassIndex index) {
        ClassShape shape = new ClassShape(index);
        reader.accept(shape, ClassReader.SKIP_FRAMES);
        return shape;
    }

    boolean isSynthetic() {
        return (access & Opcodes.ACC_SYNTHETIC) != 0;
    }

    boolean hasStaticInitialiser() {
        return methods.stream().anyMatch(MethodShape::isStaticInitialiser);
    }

    /** A unit with a probe for each line of each method. */
    Unit measured(String root) {
        Map<String, MethodShape> byKey = new HashMap<>();
        Map<String, MethodShape> makers = new HashMap<>();
        for (MethodShape method : methods) {
            byKey.put(method.key(), method);
            if (!method.ignored) {
                method.lambdas.forEach(lambda -> makers.putIfAbsent(lambda, method));
            }
        }
        Map<MethodShape, List<MethodShape>> groups = new HashMap<>();
        for (MethodShape method : methods) {
            if (!method.ignored) {
                groups.computeIfAbsent(root(method, makers), maker -> new ArrayList<>()).add(method);
            }
        }
        List<Unit.Function> functions = new ArrayList<>();
        List<String[]> needs = new ArrayList<>();
        for (MethodShape method : methods) {
            List<MethodShape> group = groups.get(method);
            TreeMap<Integer, Set<String>> lines = new TreeMap<>();
            for (MethodShape each : group == null ? new ArrayList<MethodShape>() : group) {
                each.lines.forEach((line, classes) -> lines.computeIfAbsent(line, l -> new TreeSet<>()).addAll(classes));
            }
            if (lines.isEmpty()) {
                continue;
            }
            TreeMap<Integer, Integer> probes = new TreeMap<>();
            for (Map.Entry<Integer, Set<String>> line : lines.entrySet()) {
                probes.put(line.getKey(), needs.size());
                needs.add(line.getValue().isEmpty() ? null : line.getValue().toArray(new String[0]));
            }
            group.forEach(each -> each.probes = probes);
            int[] numbers = lines.keySet().stream().mapToInt(Integer::intValue).toArray();
            functions.add(new Unit.Function(MethodNames.of(name, method.name, method.descriptor), numbers));
        }
        return new Unit(name, superName, file(), root, functions, needs.toArray(new String[0][]));
    }

    /** A unit with probes only for lines that initialise a class, to know what a test needs. */
    Unit observed() {
        List<String[]> needs = new ArrayList<>();
        for (MethodShape method : methods) {
            for (Map.Entry<Integer, Set<String>> line : method.lines.entrySet()) {
                if (!line.getValue().isEmpty()) {
                    method.probes.put(line.getKey(), needs.size());
                    needs.add(line.getValue().toArray(new String[0]));
                }
            }
        }
        return new Unit(name, superName, file(), null, new ArrayList<>(), needs.toArray(new String[0][]));
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        this.access = access;
        this.name = name;
        this.superName = superName;
    }

    @Override
    public void visitSource(String source, String debug) {
        this.source = source;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
        MethodShape method = new MethodShape(name, descriptor, isMade(access, name, descriptor));
        methods.add(method);
        return new Scan(method);
    }

    private boolean isMade(int methodAccess, String method, String descriptor) {
        if ((methodAccess & Opcodes.ACC_SYNTHETIC) != 0 && !method.startsWith("lambda$")) {
            return true;
        }
        return (access & Opcodes.ACC_ENUM) != 0
                && (method.equals("values") && descriptor.equals("()[L" + name + ";")
                        || method.equals("valueOf") && descriptor.equals("(Ljava/lang/String;)L" + name + ";"));
    }

    private String file() {
        String folder = name.substring(0, name.lastIndexOf('/') + 1);
        String top = name.substring(folder.length()).split("\\$", 2)[0];
        return folder + (source == null ? top + ".java" : source);
    }

    private static MethodShape root(MethodShape method, Map<String, MethodShape> makers) {
        MethodShape root = method;
        Set<MethodShape> seen = new HashSet<>();
        while (root.isLambda() && seen.add(root) && makers.get(root.key()) != null) {
            root = makers.get(root.key());
        }
        return root;
    }

    /** Reads one method. */
    private final class Scan extends MethodVisitor {
        private final MethodShape method;
        private int line = -1;
        private int instructions;
        private boolean readsField;

        Scan(MethodShape method) {
            super(Opcodes.ASM9);
            this.method = method;
        }

        @Override
        public void visitLineNumber(int line, Label start) {
            this.line = line;
            method.lines.computeIfAbsent(line, l -> new TreeSet<>());
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
            instructions++;
            readsField |= opcode == Opcodes.GETFIELD && field.equals(method.name);
            if (opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC) {
                needs(owner);
            }
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String called, String descriptor, boolean isInterface) {
            instructions++;
            if (opcode == Opcodes.INVOKESTATIC) {
                needs(owner);
            }
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            instructions++;
            if (opcode == Opcodes.NEW) {
                needs(type);
            }
        }

        @Override
        public void visitInvokeDynamicInsn(String called, String descriptor, Handle bootstrap, Object... arguments) {
            instructions++;
            for (Object argument : arguments) {
                if (argument instanceof Handle && ((Handle) argument).getOwner().equals(name)) {
                    Handle handle = (Handle) argument;
                    method.lambdas.add(handle.getName() + handle.getDesc());
                }
            }
            if (isRecord() && bootstrap.getOwner().equals("java/lang/runtime/ObjectMethods")) {
                method.ignored = true;
            }
        }

        @Override
        public void visitInsn(int opcode) {
            instructions++;
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            instructions++;
        }

        @Override
        public void visitVarInsn(int opcode, int index) {
            instructions++;
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            instructions++;
        }

        @Override
        public void visitLdcInsn(Object value) {
            instructions++;
        }

        @Override
        public void visitEnd() {
            // aload 0, getfield, return: an accessor as the compiler makes it.
            if (isRecord() && readsField && instructions == 3 && method.descriptor.startsWith("()")) {
                method.ignored = true;
            }
        }

        private boolean isRecord() {
            return "java/lang/Record".equals(superName);
        }

        private void needs(String owner) {
            if (line >= 0 && !owner.equals(name) && index.contains(owner)) {
                method.lines.get(line).add(owner);
            }
        }
    }
}
