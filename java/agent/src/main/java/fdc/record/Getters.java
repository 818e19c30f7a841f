package fdc.record;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;

/** Public methods without parameters of classes that may come from any loader, looked up once. */
final class Getters {
    private static final Map<Class<?>, Map<String, Method>> KNOWN = Collections.synchronizedMap(new WeakHashMap<>());

    private Getters() {}

    /** What the method gives; null when there is none, or it fails. */
    static Object get(Object object, String name) {
        Map<String, Method> methods = KNOWN.computeIfAbsent(object.getClass(), type -> new HashMap<>());
        Method method;
        synchronized (methods) {
            if (!methods.containsKey(name)) {
                methods.put(name, find(object.getClass(), name));
            }
            method = methods.get(name);
        }
        try {
            return method == null ? null : method.invoke(object);
        } catch (ReflectiveOperationException | RuntimeException refused) {
            return null;
        }
    }

    /** The declaration in a public class or interface, since one in a hidden class may not be called. */
    private static Method find(Class<?> type, String name) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            Method method = declared(each, name);
            if (method != null) {
                return method;
            }
            for (Class<?> face : each.getInterfaces()) {
                Method inherited = find(face, name);
                if (inherited != null) {
                    return inherited;
                }
            }
        }
        return null;
    }

    private static Method declared(Class<?> type, String name) {
        try {
            Method method = type.getDeclaredMethod(name);
            boolean open = Modifier.isPublic(method.getModifiers()) && Modifier.isPublic(type.getModifiers());
            return open ? method : null;
        } catch (NoSuchMethodException | LinkageError absent) {
            return null;
        }
    }
}
