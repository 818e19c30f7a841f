package fdc.weave;

import fdc.record.JUnitHooks;
import fdc.record.Probes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Makes classes of JUnit call {@link JUnitHooks}, and pauses the measuring while they put a failure into
 * words or report it: that calls {@code toString} of the objects under test, which the test does not.
 */
final class HookWeaver {
    private static final String HOOKS = Type.getInternalName(JUnitHooks.class);
    private static final String PROBES = Type.getInternalName(Probes.class);
    private static final Map<String, List<Hook>> TABLE = new HashMap<>();

    /** When a hook is called. */
    private enum When {
        ENTRY,
        EXIT,
        /** At entry; the method returns at once when the hook says so. */
        GUARD,
        /** From entry to exit nothing is measured. */
        PAUSED
    }

    static {
        String notifier = "org/junit/runner/notification/RunNotifier";
        hook(notifier, "fireTestRunStarted", When.ENTRY, "runStarted");
        hook(notifier, "fireTestStarted", When.EXIT, "started");
        hook(notifier, "fireTestFailure", When.ENTRY, "failed");
        hook(notifier, "fireTestAssumptionFailed", When.ENTRY, "assumptionFailed");
        hook(notifier, "fireTestIgnored", When.ENTRY, "ignored");
        hook(notifier, "fireTestFinished", When.ENTRY, "finished");
        String runner = "org/junit/runners/ParentRunner";
        hook(runner, "run", When.GUARD, "runnerStarted");
        hook(runner, "run", When.EXIT, "runnerFinished");
        // Its first argument is the statement, its second the description.
        hook(runner, "runLeaf", When.GUARD, "refuses");
        String result = "junit/framework/TestResult";
        hook(result, "run", When.GUARD, "refuses3");
        hook(result, "startTest", When.EXIT, "started3");
        hook(result, "addError", When.ENTRY, "failed3");
        hook(result, "addFailure", When.ENTRY, "failed3");
        hook(result, "endTest", When.ENTRY, "finished3");
        String task = "org/junit/platform/engine/support/hierarchical/NodeTestTask";
        hook(task, "execute", When.GUARD, "refusesNode");
        paused(notifier, "fireTestFailure", "fireTestAssumptionFailed");
        paused(result, "addError", "addFailure");
        paused(task, "reportCompletion");
        paused("junit/framework/Assert", "format", "failSame", "failNotSame", "failNotEquals");
        paused("org/junit/Assert", "format", "failEquals", "failNotNull", "failSame", "failNotSame", "failNotEquals");
        String jupiter = "org/junit/jupiter/api/";
        paused(jupiter + "AssertionFailureBuilder", "build");
        paused(jupiter + "AssertionUtils", "format", "formatValues", "failNotEqual"); // before 5.9, with the next three
        paused(jupiter + "AssertNotEquals", "failEqual");
        paused(jupiter + "AssertNull", "failNotNull");
        paused(jupiter + "AssertNotSame", "failSame");
        paused("org/opentest4j/ValueWrapper", "create");
        paused("org/hamcrest/BaseDescription", "appendDescriptionOf", "appendValue", "appendValueList", "appendList");
    }

    private HookWeaver() {}

    /** One call to put in. */
    private static final class Hook {
        final String method;
        final When when;
        final String called;

        Hook(String method, When when, String called) {
            this.method = method;
            this.when = when;
            this.called = called;
        }
    }

    static boolean concerns(String className) {
        return TABLE.containsKey(className);
    }

    /** The class with its hooks. */
    static byte[] weave(String className, byte[] code) {
        ClassReader reader = new ClassReader(code);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        int version = reader.readUnsignedShort(6);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String sign, String[] exceptions) {
                MethodVisitor inner = super.visitMethod(access, name, descriptor, sign, exceptions);
                boolean hasCode = (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) == 0;
                boolean isPlain = (access & (Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC | Opcodes.ACC_ABSTRACT)) == 0;
                for (Hook hook : TABLE.get(className)) {
                    if (hook.when == When.PAUSED) {
                        if (hasCode && hook.method.equals(name)) {
                            inner = new PausedMethod(inner, version);
                        }
                    } else if (isPlain && hook.method.equals(name) && descriptor.endsWith(")V") && fits(hook, descriptor)) {
                        inner = new HookedMethod(inner, className, descriptor, hook, version);
                    }
                }
                return inner;
            }
        }, 0);
        return writer.toByteArray();
    }

    private static void hook(String className, String method, When when, String called) {
        TABLE.computeIfAbsent(className, name -> new ArrayList<>()).add(new Hook(method, when, called));
    }

    private static void paused(String className, String... methods) {
        for (String method : methods) {
            hook(className, method, When.PAUSED, null);
        }
    }

    /** Old versions have other methods of the same name. */
    private static boolean fits(Hook hook, String descriptor) {
        int arguments = Type.getArgumentTypes(descriptor).length;
        switch (hook.called) {
            case "refuses":
                return descriptor.contains("Lorg/junit/runner/Description;") && arguments == 3;
            case "refuses3":
                return descriptor.equals("(Ljunit/framework/TestCase;)V");
            case "failed3":
                return arguments == 2;
            case "refusesNode":
                return arguments == 0;
            default:
                return arguments == 1;
        }
    }

    /** Inserts one hook into one method. */
    private static final class HookedMethod extends MethodVisitor {
        private final String className;
        private final String descriptor;
        private final Hook hook;
        private final int version;

        HookedMethod(MethodVisitor inner, String className, String descriptor, Hook hook, int version) {
            super(Opcodes.ASM9, inner);
            this.className = className;
            this.descriptor = descriptor;
            this.hook = hook;
            this.version = version;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (hook.when == When.ENTRY) {
                call("V");
            } else if (hook.when == When.GUARD) {
                call("Z");
                Label goOn = new Label();
                mv.visitJumpInsn(Opcodes.IFEQ, goOn);
                // Past the hooks of an exit, for there was no entry.
                super.visitInsn(Opcodes.RETURN);
                mv.visitLabel(goOn);
                if (version >= Opcodes.V1_6) {
                    mv.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
                }
                // So that a frame of the method's own does not fall on the same place.
                mv.visitInsn(Opcodes.NOP);
            }
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.RETURN && hook.when == When.EXIT) {
                call("V");
            }
            super.visitInsn(opcode);
        }

        private void call(String result) {
            String arguments = "(Ljava/lang/Object;)";
            switch (hook.called) {
                case "runnerStarted":
                case "runnerFinished":
                    mv.visitVarInsn(Opcodes.ALOAD, 0);
                    break;
                case "refuses":
                    mv.visitVarInsn(Opcodes.ALOAD, 2);
                    break;
                case "refusesNode":
                    mv.visitVarInsn(Opcodes.ALOAD, 0);
                    mv.visitFieldInsn(Opcodes.GETFIELD, className, "testDescriptor",
                            "Lorg/junit/platform/engine/TestDescriptor;");
                    break;
                case "failed3":
                    arguments = "(Ljava/lang/Object;Ljava/lang/Throwable;)";
                    mv.visitVarInsn(Opcodes.ALOAD, 1);
                    mv.visitVarInsn(Opcodes.ALOAD, 2);
                    break;
                default:
                    mv.visitVarInsn(Opcodes.ALOAD, 1);
                    break;
            }
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, hook.called, arguments + result, false);
        }
    }

    /** Pauses the measuring while one method runs, however it ends. */
    private static final class PausedMethod extends MethodVisitor {
        private final int version;
        private final Label start = new Label();
        private final Label end = new Label();

        PausedMethod(MethodVisitor inner, int version) {
            super(Opcodes.ASM9, inner);
            this.version = version;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            tell("pause");
            mv.visitLabel(start);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
                tell("resume");
            }
            super.visitInsn(opcode);
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            mv.visitLabel(end);
            mv.visitTryCatchBlock(start, end, end, null);
            if (version >= Opcodes.V1_6) {
                mv.visitFrame(Opcodes.F_FULL, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"});
            }
            tell("resume");
            mv.visitInsn(Opcodes.ATHROW);
            super.visitMaxs(maxStack, maxLocals);
        }

        private void tell(String what) {
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, PROBES, what, "()V", false);
        }
    }
}
