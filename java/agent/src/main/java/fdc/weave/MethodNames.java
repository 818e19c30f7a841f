package fdc.weave;

import org.objectweb.asm.Type;

/**
 * Methods as fdc and GZoltar write them: {@code org.x.Foo$Inner#bar(int,java.lang.String)}, a
 * constructor {@code org.x.Foo#Foo()}, a static initialiser {@code org.x.Foo#<clinit>()}.
 */
final class MethodNames {
    private MethodNames() {}

    static String of(String className, String method, String descriptor) {
        StringBuilder name = new StringBuilder(className.replace('/', '.')).append('#');
        name.append(method.equals("<init>") ? className.substring(className.lastIndexOf('/') + 1) : method);
        String comma = "(";
        for (Type type : Type.getArgumentTypes(descriptor)) {
            name.append(comma).append(type.getClassName());
            comma = ",";
        }
        return name.append(comma.equals("(") ? "()" : ")").toString();
    }
}
