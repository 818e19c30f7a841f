package fdc.weave;

import fdc.record.Need;
import fdc.record.Unit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

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
    /** Of the class file, the major one. */
    int version;
    private String[] interfaces;
    private boolean hasDefaultMethods;
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
    Unit measured(String root, int loader) {
        List<Unit.Function> functions = new ArrayList<>();
        Probes probes = new Probes();
        List<Group> groups = groups();
        for (Group group : groups) {
            if (!group.places.isEmpty()) {
                group.places.keySet().forEach(line -> group.lineProbes.put(line, probes.add()));
                int[] lines = group.places.keySet().stream().mapToInt(Integer::intValue).toArray();
                functions.add(new Unit.Function(MethodNames.of(name, group.root.name, group.root.descriptor), lines));
            }
        }
        // After all lines, for what comes now is not reported.
        for (Group group : groups) {
            for (MethodShape method : group.methods) {
                method.lineProbes = group.lineProbes;
                for (MethodShape.Site site : method.sites) {
                    int start = method.startBefore(site.instruction);
                    Integer line = start < 0 ? null : method.starts.get(start);
                    if (line != null && group.places.get(line) == 1) {
                        probes.need(group.lineProbes.get(line), site.need);
                    } else {
                        probes.at(method, site);
                    }
                }
            }
        }
        return new Unit(kind(), loader, file(), root, functions, probes.needs());
    }

    /** A unit that reports nothing, with probes only to know what a test needs. */
    Unit observed(int loader) {
        Probes probes = new Probes();
        for (MethodShape method : methods) {
            method.sites.forEach(site -> probes.at(method, site));
        }
        return new Unit(kind(), loader, file(), null, new ArrayList<>(), probes.needs());
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        this.version = version & 0xffff;
        this.access = access;
        this.name = name;
        this.superName = superName;
        this.interfaces = interfaces;
    }

    @Override
    public void visitSource(String source, String debug) {
        this.source = source;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
        MethodShape method = new MethodShape(name, descriptor, isMade(access, name, descriptor));
        methods.add(method);
        hasDefaultMethods |= isInterface() && (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_STATIC)) == 0;
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

    boolean isInterface() {
        return (access & Opcodes.ACC_INTERFACE) != 0;
    }

    private Unit.Kind kind() {
        return new Unit.Kind(name, superName, interfaces, isInterface(), hasDefaultMethods);
    }

    private String file() {
        String folder = name.substring(0, name.lastIndexOf('/') + 1);
        String top = name.substring(folder.length()).split("\\$", 2)[0];
        return folder + (source == null ? top + ".java" : source);
    }

    /** The methods that have probes, in the order of the class file, each with its lambdas. */
    private List<Group> groups() {
        Map<String, MethodShape> makers = new HashMap<>();
        Map<MethodShape, Group> groups = new LinkedHashMap<>();
        for (MethodShape method : methods) {
            if (!method.ignored) {
                method.lambdas.forEach(lambda -> makers.putIfAbsent(lambda, method));
            }
        }
        for (MethodShape method : methods) {
            MethodShape root = root(method, makers);
            if (!root.ignored && root == method) {
                groups.put(root, new Group(root));
            }
        }
        for (MethodShape method : methods) {
            if (!method.ignored) {
                groups.computeIfAbsent(root(method, makers), Group::new).add(method);
            }
        }
        return new ArrayList<>(groups.values());
    }

    private static MethodShape root(MethodShape method, Map<String, MethodShape> makers) {
        MethodShape root = method;
        Set<MethodShape> seen = new HashSet<>();
        while (root.isLambda() && seen.add(root) && makers.get(root.key()) != null) {
            root = makers.get(root.key());
        }
        return root;
    }

    /** A method and the lambdas that it makes. */
    private static final class Group {
        final MethodShape root;
        final List<MethodShape> methods = new ArrayList<>();
        /** At how many places each line starts. */
        final TreeMap<Integer, Integer> places = new TreeMap<>();
        final Map<Integer, Integer> lineProbes = new HashMap<>();

        Group(MethodShape root) {
            this.root = root;
        }

        void add(MethodShape method) {
            methods.add(method);
            method.starts.values().forEach(line -> places.merge(line, 1, Integer::sum));
        }
    }

    /** The probes of a class as they are given out. */
    private static final class Probes {
        private final List<Set<Need>> needs = new ArrayList<>();

        int add() {
            needs.add(new LinkedHashSet<>());
            return needs.size() - 1;
        }

        void need(int probe, Need need) {
            needs.get(probe).add(need);
        }

        /** A probe right before the instruction. */
        void at(MethodShape method, MethodShape.Site site) {
            need(method.siteProbes.computeIfAbsent(site.instruction, instruction -> add()), site.need);
        }

        Need[][] needs() {
            Need[][] all = new Need[needs.size()][];
            for (int probe = 0; probe < all.length; probe++) {
                Set<Need> some = needs.get(probe);
                all[probe] = some.isEmpty() ? null : some.toArray(new Need[0]);
            }
            return all;
        }
    }

    /** Reads one method. */
    private final class Scan extends InstructionVisitor {
        private final MethodShape method;
        private final Map<Label, Integer> places = new HashMap<>();
        private final List<Integer> lineOfInstruction = new ArrayList<>();
        private final List<Jump> jumps = new ArrayList<>();
        private int line = -1;
        private boolean atNewLine;
        private boolean readsField;

        Scan(MethodShape method) {
            super(null);
            this.method = method;
        }

        @Override
        void before(int number, int opcode) {
            lineOfInstruction.add(line);
            if (atNewLine) {
                method.starts.put(number, line);
                atNewLine = false;
            }
        }

        @Override
        public void visitLineNumber(int line, Label start) {
            this.line = line;
            atNewLine = true;
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
            method.blocks.set(next());
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
            readsField |= opcode == Opcodes.GETFIELD && field.equals(method.name);
            if (opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC) {
                needs(Need.of(owner), owner);
            }
            super.visitFieldInsn(opcode, owner, field, descriptor);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String called, String descriptor, boolean isInterface) {
            if (opcode == Opcodes.INVOKESTATIC) {
                needs(Need.of(owner), owner);
            }
            super.visitMethodInsn(opcode, owner, called, descriptor, isInterface);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            if (opcode == Opcodes.NEW) {
                needs(Need.of(type), type);
            }
            super.visitTypeInsn(opcode, type);
        }

        @Override
        public void visitInvokeDynamicInsn(String called, String descriptor, Handle bootstrap, Object... arguments) {
            for (Object argument : arguments) {
                if (argument instanceof Handle && ((Handle) argument).getOwner().equals(name)) {
                    Handle handle = (Handle) argument;
                    method.lambdas.add(handle.getName() + handle.getDesc());
                }
            }
            if (isRecord() && bootstrap.getOwner().equals("java/lang/runtime/ObjectMethods")) {
                method.ignored = true;
            }
            if (bootstrap.getOwner().equals("java/lang/invoke/LambdaMetafactory")) {
                String implemented = Type.getReturnType(descriptor).getInternalName();
                needs(Need.implementing(implemented), implemented);
            }
            super.visitInvokeDynamicInsn(called, descriptor, bootstrap, arguments);
        }

        @Override
        public void visitEnd() {
            for (Jump jump : jumps) {
                int place = places.getOrDefault(jump.target, lineOfInstruction.size());
                if (place < lineOfInstruction.size()) {
                    method.blocks.set(place);
                    int to = lineOfInstruction.get(place);
                    if (to >= 0 && to != jump.line) {
                        method.starts.put(place, to);
                    }
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
            method.blocks.set(next());
        }

        private boolean isRecord() {
            return "java/lang/Record".equals(superName);
        }

        private void needs(Need need, String owner) {
            if (!owner.equals(name) && index.contains(owner)) {
                method.sites.add(new MethodShape.Site(next(), need));
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
