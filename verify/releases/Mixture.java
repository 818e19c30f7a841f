import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.MethodRemapper;
import org.objectweb.asm.commons.Remapper;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.InnerClassNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Classes of the earlier release, with everything that the later one added, and with the bodies of chosen
 * methods as the later one has them. Members that were removed stay, superclasses are the earlier ones.
 *
 * <p>Such classes need a JVM that does not verify them: bodies for different versions of class files stand
 * side by side.
 */
final class Mixture {
    private static final int ACCESS = Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED | Opcodes.ACC_PRIVATE;

    /** A method that both releases have and that does something else in each. */
    static final class Change {
        final String owner;
        final String name;
        final String descriptor;
        /** Whether the method is the same but for anonymous or local classes in it. */
        final boolean inClass;
        /** Whether it is an initialiser, and there are fields that only the later release has. */
        boolean initialises;
        /** Whether it uses a field that has another type in the later release. */
        boolean retyped;

        Change(String owner, MethodNode method, boolean inClass) {
            this.owner = owner;
            this.name = method.name;
            this.descriptor = method.desc;
            this.inClass = inClass;
        }

        /** As fdc writes it: {@code org.x.Foo$Inner#bar(int,java.lang.String)}, {@code org.x.Foo#Foo()} for a constructor. */
        String written() {
            String types = Arrays.stream(Type.getArgumentTypes(descriptor)).map(Type::getClassName).collect(Collectors.joining(","));
            String own = name.equals("<init>") ? owner.substring(owner.lastIndexOf('/') + 1) : name;
            return owner.replace('/', '.') + "#" + own + "(" + types + ")";
        }
    }

    final List<Change> changes = new ArrayList<>();
    private final Release earlier;
    private final Release later;
    private final Map<String, List<Integer>> ofClass = new TreeMap<>();
    private final Map<String, byte[]> made = new HashMap<>();

    Mixture(Release earlier, Release original) {
        this.earlier = earlier;
        this.later = original.renamed();
        Set<String> retyped = new TreeSet<>();
        for (String name : earlier.bytes.keySet()) {
            if (later.bytes.containsKey(name)) {
                for (FieldNode field : added(earlier.node(name), later.node(name))) {
                    if (earlier.node(name).fields.stream().anyMatch(own -> own.name.equals(field.name))) {
                        retyped.add(name + "." + field.name);
                    }
                }
            }
        }
        for (String name : earlier.bytes.keySet()) {
            if (later.bytes.containsKey(name)) {
                compare(name, original, retyped);
            }
        }
    }

    private void compare(String name, Release original, Set<String> retyped) {
        ClassNode before = earlier.node(name);
        ClassNode after = later.node(name);
        ofClass.put(name, new ArrayList<>());
        for (MethodNode method : before.methods) {
            MethodNode other = find(after, method);
            boolean bodies = other != null && method.instructions.size() > 0 && other.instructions.size() > 0;
            if (!bodies || Release.isNumbered(method) || isStatic(method.access) != isStatic(other.access)) {
                continue;
            }
            if (!earlier.whole(name, method.name, method.desc).equals(original.whole(name, method.name, method.desc))) {
                boolean inClass = earlier.withoutClasses(name, method.name, method.desc)
                        .equals(original.withoutClasses(name, method.name, method.desc));
                Change change = new Change(name, method, inClass);
                change.initialises = method.name.startsWith("<")
                        && added(before, after).stream().anyMatch(field -> isStatic(field.access) == isStatic(method.access));
                change.retyped = uses(method, retyped) || uses(other, retyped);
                ofClass.get(name).add(changes.size());
                changes.add(change);
            }
        }
    }

    private static List<FieldNode> added(ClassNode before, ClassNode after) {
        return after.fields.stream()
                .filter(field -> before.fields.stream().noneMatch(own -> own.name.equals(field.name) && own.desc.equals(field.desc)))
                .collect(Collectors.toList());
    }

    private static boolean uses(MethodNode method, Set<String> fields) {
        for (AbstractInsnNode each : method.instructions) {
            if (each instanceof FieldInsnNode && fields.contains(((FieldInsnNode) each).owner + "." + ((FieldInsnNode) each).name)) {
                return true;
            }
        }
        return false;
    }

    /** All classes, with these changes made. */
    Map<String, byte[]> with(Collection<Integer> chosen) {
        Map<String, byte[]> classes = new HashMap<>(later.bytes);
        classes.putAll(earlier.bytes);
        ofClass.forEach((name, own) -> {
            Set<Integer> here = new TreeSet<>(own);
            here.retainAll(chosen);
            classes.put(name, made.computeIfAbsent(name + here, key -> mixed(name, here, member -> true)));
        });
        return classes;
    }

    /**
     * All classes, with these changes made and without additions that they do not need: nothing else behaves as the
     * later release does.
     */
    Map<String, byte[]> withOnly(Collection<Integer> chosen) {
        Needs needs = new Needs();
        for (Integer number : chosen) {
            Change change = changes.get(number);
            later.node(change.owner).methods.stream().filter(each -> change.name.equals(each.name) && change.descriptor.equals(each.desc)).forEach(needs::of);
        }
        Map<String, byte[]> classes = new HashMap<>(earlier.bytes);
        needs.classes.forEach(name -> classes.put(name, later.bytes.get(name)));
        ofClass.forEach((name, own) -> {
            Set<Integer> here = new TreeSet<>(own);
            here.retainAll(chosen);
            classes.put(name, mixed(name, here, needs.members::contains));
        });
        return classes;
    }

    /** What methods of the later release name that the earlier one does not have, and what that names in turn. */
    private final class Needs extends Remapper {
        final Set<String> classes = new TreeSet<>();
        /** Name and descriptor, of whichever class: an override may be what is called. */
        final Set<String> members = new TreeSet<>();

        void of(MethodNode method) {
            method.accept(new MethodRemapper(new MethodNode(), this));
        }

        @Override
        public String map(String name) {
            if (later.bytes.containsKey(name) && !earlier.bytes.containsKey(name) && classes.add(name)) {
                ClassNode node = later.node(name);
                node.methods.forEach(this::of);
                map(node.superName);
                node.interfaces.forEach(this::map);
            }
            return name;
        }

        @Override
        public String mapMethodName(String owner, String name, String descriptor) {
            return member(owner, name, descriptor);
        }

        @Override
        public String mapFieldName(String owner, String name, String descriptor) {
            return member(owner, name, descriptor);
        }

        private String member(String owner, String name, String descriptor) {
            if (!later.bytes.containsKey(owner)) {
                return name;
            }
            ClassNode after = later.node(owner);
            if (earlier.bytes.containsKey(owner) && isAdded(earlier.node(owner), after, name, descriptor) && members.add(name + descriptor)) {
                later.bytes.keySet().stream().flatMap(each -> later.node(each).methods.stream())
                        .filter(each -> each.name.equals(name) && each.desc.equals(descriptor)).forEach(this::of);
            }
            member(after.superName, name, descriptor);
            after.interfaces.forEach(each -> member(each, name, descriptor));
            return name;
        }
    }

    private static boolean isAdded(ClassNode before, ClassNode after, String name, String descriptor) {
        return has(after, name, descriptor) && !has(before, name, descriptor);
    }

    private static boolean has(ClassNode node, String name, String descriptor) {
        return node.methods.stream().anyMatch(each -> each.name.equals(name) && each.desc.equals(descriptor))
                || node.fields.stream().anyMatch(each -> each.name.equals(name) && each.desc.equals(descriptor));
    }

    /** {@code wanted} says of the name and descriptor of a member that was added whether it is put in. */
    private byte[] mixed(String name, Set<Integer> chosen, Predicate<String> wanted) {
        ClassNode node = earlier.node(name);
        ClassNode other = later.node(name);
        node.version = Math.max(node.version & 0xffff, other.version & 0xffff);
        node.access = widened(node.access, other.access) & ~Opcodes.ACC_FINAL;
        for (String each : other.interfaces) {
            if (!node.interfaces.contains(each)) {
                node.interfaces.add(each);
            }
        }
        for (InnerClassNode each : other.innerClasses) {
            if (node.innerClasses.stream().noneMatch(own -> own.name.equals(each.name))) {
                node.innerClasses.add(each);
            }
        }
        if (node.nestMembers != null && other.nestMembers != null) {
            other.nestMembers.stream().filter(each -> !node.nestMembers.contains(each)).forEach(node.nestMembers::add);
        } else if (node.nestMembers == null) {
            node.nestMembers = other.nestMembers;
        }
        node.nestHostClass = node.nestHostClass == null ? other.nestHostClass : node.nestHostClass;
        fields(node, other, wanted);
        methods(node, other, chosen, wanted);
        ClassWriter writer = new ClassWriter(0);
        node.accept(writer);
        return writer.toByteArray();
    }

    private static void fields(ClassNode node, ClassNode other, Predicate<String> wanted) {
        boolean isInterface = (node.access & Opcodes.ACC_INTERFACE) != 0;
        for (FieldNode each : other.fields) {
            FieldNode own = node.fields.stream().filter(field -> field.name.equals(each.name) && field.desc.equals(each.desc)).findFirst().orElse(null);
            if (own == null) {
                if (wanted.test(each.name + each.desc)) {
                    node.fields.add(each);
                }
            } else {
                own.access = widened(own.access, each.access);
            }
        }
        for (FieldNode each : node.fields) {
            // Initialisers of both releases may have to set it.
            each.access = isInterface || each.value != null ? each.access : each.access & ~Opcodes.ACC_FINAL;
        }
    }

    private void methods(ClassNode node, ClassNode other, Set<Integer> chosen, Predicate<String> wanted) {
        for (MethodNode each : other.methods) {
            MethodNode own = find(node, each);
            if (own == null) {
                if (wanted.test(each.name + each.desc)) {
                    node.methods.add(each);
                }
                continue;
            }
            boolean isChosen = chosen.stream().map(changes::get).anyMatch(change -> change.name.equals(each.name) && change.descriptor.equals(each.desc));
            int access = widened(own.access, each.access) & ~Opcodes.ACC_FINAL;
            if (isChosen) {
                node.methods.set(node.methods.indexOf(own), each);
                each.access = access;
            } else {
                own.access = access;
            }
        }
    }

    private static MethodNode find(ClassNode node, MethodNode like) {
        return node.methods.stream().filter(each -> each.name.equals(like.name) && each.desc.equals(like.desc)).findFirst().orElse(null);
    }

    /** The first flags with the wider access of the two. */
    private static int widened(int own, int other) {
        int access = rank(own) >= rank(other) ? own : other;
        return own & ~ACCESS | access & ACCESS;
    }

    private static int rank(int access) {
        return (access & Opcodes.ACC_PUBLIC) != 0 ? 3 : (access & Opcodes.ACC_PROTECTED) != 0 ? 2 : (access & Opcodes.ACC_PRIVATE) != 0 ? 0 : 1;
    }

    private static boolean isStatic(int access) {
        return (access & Opcodes.ACC_STATIC) != 0;
    }
}
