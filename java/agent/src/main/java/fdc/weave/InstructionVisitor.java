package fdc.weave;

import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Sees each instruction of a method before it is passed on, and numbers them from 0. */
abstract class InstructionVisitor extends MethodVisitor {
    /** How many instructions have been passed on. */
    private int passed;

    InstructionVisitor(MethodVisitor next) {
        super(Opcodes.ASM9, next);
    }

    /** The instruction of this number comes next. */
    abstract void before(int number, int opcode);

    /** The number of the instruction that comes next. */
    final int next() {
        return passed;
    }

    private void count(int opcode) {
        before(passed, opcode);
        passed++;
    }

    @Override
    public void visitInsn(int opcode) {
        count(opcode);
        super.visitInsn(opcode);
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        count(opcode);
        super.visitIntInsn(opcode, operand);
    }

    @Override
    public void visitVarInsn(int opcode, int index) {
        count(opcode);
        super.visitVarInsn(opcode, index);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        count(opcode);
        super.visitTypeInsn(opcode, type);
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        count(opcode);
        super.visitFieldInsn(opcode, owner, name, descriptor);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        count(opcode);
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
        count(Opcodes.INVOKEDYNAMIC);
        super.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        count(opcode);
        super.visitJumpInsn(opcode, label);
    }

    @Override
    public void visitLdcInsn(Object value) {
        count(Opcodes.LDC);
        super.visitLdcInsn(value);
    }

    @Override
    public void visitIincInsn(int index, int increment) {
        count(Opcodes.IINC);
        super.visitIincInsn(index, increment);
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... cases) {
        count(Opcodes.TABLESWITCH);
        super.visitTableSwitchInsn(min, max, otherwise, cases);
    }

    @Override
    public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] cases) {
        count(Opcodes.LOOKUPSWITCH);
        super.visitLookupSwitchInsn(otherwise, keys, cases);
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        count(Opcodes.MULTIANEWARRAY);
        super.visitMultiANewArrayInsn(descriptor, dimensions);
    }
}
