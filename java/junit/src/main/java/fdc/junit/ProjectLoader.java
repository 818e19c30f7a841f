package fdc.junit;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;

/** Loads the project's classes for one mutant; libraries and JUnit are those of the JVM. */
final class ProjectLoader extends ClassLoader {
    static {
        registerAsParallelCapable();
    }

    private final ProjectClasses project;
    /** Classes that this mutant alone has. */
    private final Map<String, File> own;

    ProjectLoader(ProjectClasses project, File own) throws IOException {
        super(ProjectLoader.class.getClassLoader());
        this.project = project;
        this.own = own == null ? Collections.<String, File>emptyMap() : ProjectClasses.classFiles(own);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!own.containsKey(name) && !project.has(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            byte[] bytes;
            try {
                bytes = own.containsKey(name) ? Files.readAllBytes(own.get(name).toPath()) : project.bytes(name);
            } catch (IOException error) {
                throw new ClassNotFoundException(name, error);
            }
            addPackage(name);
            return defineClass(name, bytes, 0, bytes.length, project.domain(name));
        }
    }

    private void addPackage(String name) {
        int dot = name.lastIndexOf('.');
        if (dot > 0 && getPackage(name.substring(0, dot)) == null) {
            try {
                definePackage(name.substring(0, dot), null, null, null, null, null, null, null);
            } catch (IllegalArgumentException another) {
                // Another thread was faster.
            }
        }
    }

    @Override
    public URL getResource(String name) {
        URL found = project.resource(name);
        return found != null ? found : super.getResource(name);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        List<URL> all = Collections.list(project.resources(name));
        all.addAll(Collections.list(super.getResources(name)));
        return Collections.enumeration(all);
    }
}
