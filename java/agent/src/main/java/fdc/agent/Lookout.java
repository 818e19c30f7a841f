package fdc.agent;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.IllegalClassFormatException;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.jar.JarFile;

/**
 * Waits for the first class that matters and only then starts the agent proper.
 *
 * <p>The agent proper is loaded by the bootstrap loader, where every instrumented class finds it.
 * This class and {@link Roots} are all that a JVM without tests ever loads.
 */
final class Lookout implements ClassFileTransformer {
    private static final Set<String> JUNIT = new HashSet<>(Arrays.asList(
            "junit/framework/TestResult",
            "org/junit/runner/notification/RunNotifier",
            "org/junit/runners/ParentRunner",
            "org/junit/platform/engine/support/hierarchical/NodeTestTask",
            "org/junit/platform/launcher/core/LauncherFactory"));

    private final Instrumentation instrumentation;
    private final File jar;
    private final String spool;
    private final String plan;
    private final Roots roots;
    private volatile ClassFileTransformer weaver;
    private boolean starting;

    Lookout(Instrumentation instrumentation, File jar, String spool, String plan) throws IOException {
        this.instrumentation = instrumentation;
        this.jar = jar;
        this.spool = spool;
        this.plan = plan;
        this.roots = Roots.ofPlan(plan);
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] code)
            throws IllegalClassFormatException {
        ClassFileTransformer ready = weaver;
        if (ready == null) {
            if (loader == null || name == null || !(JUNIT.contains(name) || roots.of(domain) != null)) {
                return null;
            }
            ready = start();
        }
        return ready == null ? null : ready.transform(loader, name, redefined, domain, code);
    }

    private synchronized ClassFileTransformer start() {
        if (weaver != null || starting) {
            return weaver;
        }
        starting = true;
        try {
            instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(jar));
            weaver = (ClassFileTransformer) Class.forName("fdc.weave.Weaver", true, null)
                    .getMethod("start", Instrumentation.class, File.class, String.class, String.class)
                    .invoke(null, instrumentation, jar, spool, plan);
        } catch (ReflectiveOperationException | IOException | RuntimeException error) {
            Throwable cause = error.getCause() == null ? error : error.getCause();
            System.err.println("fdc: this JVM is not measured: " + cause);
        }
        return weaver;
    }
}
