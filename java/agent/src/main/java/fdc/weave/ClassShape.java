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
    private final class Scan extends InstructionVisitor {
        private final MethodShape method;
        private final Map<Label, Integer> places = new HashMap<>();
        private final List<Integer> lineOfInstruction = new ArrayList<>();
        private final List<Jump> jumps = new ArrayList<>();
        private int line = -1;
        private boolean readsField;

        Scan(MethodShape method) {
            super(null);
            this.method = method;
        }

        @Override
        void before(int number, int opcode) {
            lineOfInstruction.add(line);
        }

        @Override
        public void visitLineNumber(int line, Label start) {
            this.line = line;
            method.lines.computeIfAbsent(line, l -> new TreeSet<>());
        }

        @Override
        public void visitLabel(Label label) {
            places.put(label, next());
        }

        @Override
        public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
            jumps.add(new Jump(-1, handler));
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            super.visitJumpInsn(opcode, label);
            jumps.add(new Jump(line, label));
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... cases) {
            super.visitTableSwitchInsn(min, max, otherwise, cases);
            switchTo(otherwise, cases);
        }

        @Override
        public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] cases) {
            super.visitLookupSwitchInsn(otherwise, keys, cases);
            switchTo(otherwise, cases);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
            super.visitFieldInsn(opcode, owner, field, descriptor);
            readsField |= opcode == Opcodes.GETFIELD && field.equals(method.name);
            if (opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC) {
                needs(owner);
            }
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String called, String descriptor, boolean isInterface) {
            super.visitMethodInsn(opcode, owner, called, descriptor, isInterface);
            if (opcode == Opcodes.INVOKESTATIC) {
                needs(owner);
            }
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            super.visitTypeInsn(opcode, type);
            if (opcode == Opcodes.NEW) {
                needs(type);
            }
        }

        @Override
        public void visitInvokeDynamicInsn(String called, String descriptor, Handle bootstrap, Object... arguments) {
            super.visitInvokeDynamicInsn(called, descriptor, bootstrap, arguments);
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
        public void visitEnd() {
            for (Jump jump : jumps) {
                int place = places.getOrDefault(jump.target, lineOfInstruction.size());
                if (place < lineOfInstruction.size() && lineOfInstruction.get(place) != jump.line) {
                    method.entries.set(place);
                }
            }
            // aload 0, getfield, return: an accessor as the compiler makes it.
            if (isRecord() && readsField && next() == 3 && method.descriptor.startsWith("()")) {
                method.ignored = true;
            }
        }

        private void switchTo(Label otherwise, Label[] cases) {
            jumps.add(new Jump(line, otherwise));
            for (Label label : cases) {
                jumps.add(new Jump(line, label));
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

    /** A jump from a line; -1 when it comes from an exception, which may be of any line. */
    private static final class Jump {
        final int line;
        final Label target;

        Jump(int line, Label target) {
            this.line = line;
            this.target = target;
        }
    }
}
