package fdc.weave;

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
 * Puts a call of {@link Probes#hit} before the first instruction of every line, and wherever a jump
 * enters a line further on; and calls of {@link Probes#enter} and {@link Probes#leave} around a
 * static initialiser.
 *
 * <p>A probe comes before its line, so a line that throws is covered. Nothing is added to the class
 * but these calls: no member, no local variable, no stack map frame save that of the handler which
 * ends a static initialiser.
 */
final class ProbeInserter extends ClassVisitor {
    private static final String PROBES = Type.getInternalName(Probes.class);

    private final ClassShape shape;
    private final int unit;
    private int next;

    private ProbeInserter(ClassVisitor writer, ClassShape shape, int unit) {
        super(Opcodes.ASM9, writer);
        this.shape = shape;
        this.unit = unit;
    }

    /** The class with probes. */
    static byte[] insert(ClassReader reader, ClassShape shape, int unit) {
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(new ProbeInserter(writer, shape, unit), 0);
        return writer.toByteArray();
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
        MethodVisitor writer = super.visitMethod(access, name, descriptor, signature, exceptions);
        MethodShape method = shape.methods.get(next++);
        if (method.isStaticInitialiser()) {
            return new InitialiserMethod(writer, method);
        }
        // A method that is passed on as it is gets copied as bytes.
        return method.lineProbes.isEmpty() && method.siteProbes.isEmpty() ? writer : new ProbedMethod(writer, method);
    }

    private static void push(MethodVisitor code, int value) {
        if (value >= -1 && value <= 5) {
            code.visitInsn(Opcodes.ICONST_0 + value);
        } else if (value <= Byte.MAX_VALUE) {
            code.visitIntInsn(Opcodes.BIPUSH, value);
        } else if (value <= Short.MAX_VALUE) {
            code.visitIntInsn(Opcodes.SIPUSH, value);
        } else {
            code.visitLdcInsn(value);
        }
    }

    /** Inserts the probes of one method. */
    private class ProbedMethod extends InstructionVisitor {
        private final MethodShape method;
        /** Labels since the last instruction. */
        private final List<Label> labels = new ArrayList<>();
        /** Labels of a NEW, and where it is now. */
        private final Map<Label, Label> moved = new HashMap<>();

        ProbedMethod(MethodVisitor writer, MethodShape method) {
            super(writer);
            this.method = method;
        }

        @Override
        public void visitLabel(Label label) {
            super.visitLabel(label);
            labels.add(label);
        }

        /** A value that NEW made and no constructor has seen yet is known by the place of its NEW. */
        @Override
        public void visitFrame(int type, int locals, Object[] local, int stacks, Object[] stack) {
            super.visitFrame(type, locals, atMoved(local), stacks, atMoved(stack));
        }

        /** After the frame of this place, which must stay where jumps arrive. */
        @Override
        void before(int number, int opcode) {
            Integer line = method.starts.get(number);
            boolean inserted = hit(line == null ? null : method.lineProbes.get(line));
            inserted |= hit(method.siteProbes.get(number));
            if (inserted && opcode == Opcodes.NEW) {
                Label place = new Label();
                mv.visitLabel(place);
                labels.forEach(label -> moved.put(label, place));
            }
            labels.clear();
        }

        private boolean hit(Integer probe) {
            if (probe == null) {
                return false;
            }
            push(mv, unit);
            push(mv, probe);
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, PROBES, "hit", "(II)V", false);
            return true;
        }

        private Object[] atMoved(Object[] types) {
            if (types == null || moved.isEmpty()) {
                return types;
            }
            Object[] result = types.clone();
            for (int i = 0; i < result.length; i++) {
                if (result[i] instanceof Label) {
                    result[i] = moved.getOrDefault((Label) result[i], (Label) result[i]);
                }
            }
            return result;
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            super.visitMaxs(maxStack + 2, maxLocals);
        }
    }

    /** A static initialiser: probes, and a word to the thread when it starts and however it ends. */
    private final class InitialiserMethod extends ProbedMethod {
        private final Label start = new Label();
        private final Label end = new Label();

        InitialiserMethod(MethodVisitor writer, MethodShape method) {
            super(writer, method);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            tell("enter");
            mv.visitLabel(start);
        }

        @Override
        void before(int number, int opcode) {
            super.before(number, opcode);
            if (opcode == Opcodes.RETURN) {
                tell("leave");
            }
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            mv.visitLabel(end);
            mv.visitTryCatchBlock(start, end, end, null);
            if (shape.version >= Opcodes.V1_6) {
                mv.visitFrame(Opcodes.F_FULL, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"});
            }
            tell("leave");
            mv.visitInsn(Opcodes.ATHROW);
            super.visitMaxs(Math.max(maxStack, 1), maxLocals);
        }

        private void tell(String what) {
            push(mv, unit);
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, PROBES, what, "(I)V", false);
        }
    }
}
