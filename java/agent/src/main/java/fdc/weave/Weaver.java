package fdc.weave;

import fdc.agent.Roots;
import fdc.record.Plan;
import fdc.record.Session;
import fdc.record.Unit;
import fdc.record.Units;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.jar.JarFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassTooLargeException;
import org.objectweb.asm.MethodTooLargeException;

/**
 * Decides for each class that is loaded what is done to it.
 *
 * <ul>
 * <li>A class from one of the plan's {@code classes} gets a probe for each line.
 * <li>Other code that uses such classes, test code above all, gets probes on the lines that
 *     initialise a class; they are never reported.
 * <li>The classes through which JUnit runs tests get hooks; the JUnit Platform gets a listener.
 * </ul>
 */
public final class Weaver implements ClassFileTransformer {
    private static final String LAUNCHER = "org/junit/platform/launcher/core/LauncherFactory";
    private static final String LISTENER = "META-INF/services/org.junit.platform.launcher.TestExecutionListener";
    /** Machinery around tests, left as it is. */
    private static final String[] OTHERS = {
        "fdc/", "java/", "javax/", "jdk/", "sun/", "com/sun/", "junit/", "org/junit/", "org/opentest4j/",
        "org/apiguardian/", "org/hamcrest/", "org/apache/maven/", "org/gradle/", "worker/org/gradle/",
    };

    private final Instrumentation instrumentation;
    private final File junitJar;
    private final Plan plan;
    private final Roots roots;
    private final ClassIndex index;
    private final AtomicBoolean toldOfLines = new AtomicBoolean();
    /** Classes that have been through here before {@link #catchUp}. */
    private final Set<String> seen = Collections.newSetFromMap(new ConcurrentHashMap<>());
    private volatile boolean caughtUp;

    private Weaver(Instrumentation instrumentation, File jar, String plan) throws IOException {
        this.instrumentation = instrumentation;
        this.junitJar = new File(jar.getParentFile(), "fdc-junit.jar");
        this.plan = Plan.read(plan);
        this.roots = Roots.ofPlan(plan);
        this.index = new ClassIndex(roots);
    }

    /** Starts the agent proper; called once, through reflection. */
    public static ClassFileTransformer start(Instrumentation instrumentation, File jar, String spool, String plan)
            throws IOException {
        Weaver weaver = new Weaver(instrumentation, jar, plan);
        Session.start(weaver.plan, new File(spool), weaver::catchUp);
        if (weaver.plan.launches != null) {
            Runtime.getRuntime().addShutdownHook(new Thread(null, () -> Launch.tell(instrumentation, weaver.plan.launches), "fdc-launch"));
        }
        return weaver;
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] code) {
        if (loader == null || name == null) {
            return null;
        }
        try {
            if (name.equals(LAUNCHER)) {
                addListener(loader);
            }
            if (HookWeaver.concerns(name)) {
                return HookWeaver.weave(name, code);
            }
            if (!plan.measure) {
                return null;
            }
            if (!caughtUp) {
                seen.add(name.replace('/', '.'));
            }
            String root = roots.of(domain);
            int loaderNumber = Units.loader(loader);
            return root != null ? measured(name, loaderNumber, root, code) : observed(name, loaderNumber, domain, code);
        } catch (Throwable error) {
            // The JVM would drop it silently.
            Session.get().trouble("class " + name.replace('/', '.') + " has no probes: " + error);
            return null;
        }
    }

    private byte[] measured(String name, int loader, String root, byte[] code) {
        ClassReader reader;
        try {
            reader = new ClassReader(code);
        } catch (IllegalArgumentException tooNew) {
            Session.get().trouble("class " + name.replace('/', '.') + " has no probes: its class file version "
                    + (((code[6] & 0xff) << 8) + (code[7] & 0xff)) + " is newer than fdc knows");
            return null;
        }
        ClassShape shape = ClassShape.of(reader, index);
        Unit unit = shape.measured(root, loader);
        if (shape.isSynthetic()) {
            return null;
        }
        if (!unit.hasProbes()) {
            Units.add(unit); // others may need to know what it implements
            if (!shape.isInterface() && toldOfLines.compareAndSet(false, true)) {
                Session.get().trouble("class " + name.replace('/', '.') + " was compiled without line numbers, others"
                        + " may be too: they cannot be measured; compile with -g:lines,source");
            }
            return null;
        }
        return insert(reader, shape, unit, name);
    }

    private byte[] observed(String name, int loader, ProtectionDomain domain, byte[] code) {
        String location = Roots.location(domain);
        if (location == null || isMachinery(name)) {
            return null;
        }
        ClassReader reader;
        try {
            reader = new ClassReader(code);
        } catch (IllegalArgumentException tooNew) {
            return null;
        }
        if (!refersToIndex(reader)) {
            return null;
        }
        index.addLocation(location);
        ClassShape shape = ClassShape.of(reader, index);
        Unit unit = shape.observed(loader);
        return insert(reader, shape, unit, name);
    }

    private static byte[] insert(ClassReader reader, ClassShape shape, Unit unit, String name) {
        int id = Units.add(unit);
        if (id < 0) {
            Session.get().trouble("class " + name.replace('/', '.') + " has no probes: too many classes in one JVM");
            return null;
        }
        try {
            return ProbeInserter.insert(reader, shape, id);
        } catch (MethodTooLargeException large) {
            Session.get().trouble("class " + name.replace('/', '.') + " has no probes: its method " + large.getMethodName()
                    + " would be too large with them (the JVM's limit is 64 KiB)");
        } catch (ClassTooLargeException large) {
            Session.get().trouble("class " + name.replace('/', '.') + " has no probes: it would be too large with them");
        }
        return null;
    }

    /** Reads the constant pool only, for this is asked of every class. */
    private boolean refersToIndex(ClassReader reader) {
        char[] buffer = new char[reader.getMaxStringLength()];
        for (int item = 1; item < reader.getItemCount(); item++) {
            int offset = reader.getItem(item);
            boolean isClass = offset > 0 && reader.readByte(offset - 1) == 7;
            if (isClass && index.contains(String.valueOf(reader.readUTF8(offset, buffer)))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isMachinery(String name) {
        for (String other : OTHERS) {
            if (name.startsWith(other)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Test classes are often loaded, to look for tests, before JUnit and the code under test are. They
     * are seen to when the first class of tests begins: to do it here, while a class is being loaded,
     * could make the JVM load that class a second time.
     */
    private void catchUp() {
        if (!plan.measure) {
            return;
        }
        List<Class<?>> late = new ArrayList<>();
        for (Class<?> each : instrumentation.getAllLoadedClasses()) {
            boolean plain = each.getClassLoader() != null && !each.isArray() && instrumentation.isModifiableClass(each);
            if (plain && !seen.contains(each.getName()) && !isMachinery(each.getName().replace('.', '/')) && isTestCode(each)) {
                late.add(each);
            }
        }
        seen.clear();
        caughtUp = true;
        if (late.isEmpty()) {
            return;
        }
        ClassFileTransformer again = new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] code) {
                return redefined == null ? null : Weaver.this.transform(loader, name, redefined, domain, code);
            }
        };
        instrumentation.addTransformer(again, true);
        for (Class<?> each : late) {
            try {
                instrumentation.retransformClasses(each);
            } catch (UnmodifiableClassException | RuntimeException | LinkageError refused) {
                Session.get().trouble("class " + each.getName() + " was loaded too early to be observed: " + refused);
            }
        }
        instrumentation.removeTransformer(again);
    }

    /** Looks into the class file first: the JVM is slow to take a class up again. */
    private boolean isTestCode(Class<?> each) {
        try (InputStream file = each.getClassLoader().getResourceAsStream(each.getName().replace('.', '/') + ".class")) {
            return file != null && refersToIndex(new ClassReader(file));
        } catch (IOException | RuntimeException unreadable) {
            return false;
        }
    }

    /** The listener is found by ServiceLoader, which must find the Platform through the same loader. */
    private void addListener(ClassLoader loader) throws IOException {
        ClassLoader system = ClassLoader.getSystemClassLoader();
        if (loader != system) {
            Session.get().urgentTrouble("the JUnit Platform is loaded by " + loader.getClass().getName()
                    + ", not by the system class loader: its tests cannot be seen; run them in a JVM of their own"
                    + " (Maven: forkCount above 0, useSystemClassLoader true)");
        } else if (!junitJar.isFile()) {
            Session.get().urgentTrouble("no " + junitJar.getName() + " beside the agent, in " + junitJar.getParent()
                    + ": tests of the JUnit Platform cannot be seen");
        } else if (system.getResource(LISTENER) == null || system.getResource("fdc/junit/PlatformListener.class") == null) {
            instrumentation.appendToSystemClassLoaderSearch(new JarFile(junitJar));
        }
    }
}
