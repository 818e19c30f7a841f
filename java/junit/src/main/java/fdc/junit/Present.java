package fdc.junit;

/** Which parts of JUnit the class path has. To ask loads their first class, which starts the agent. */
final class Present {
    private Present() {}

    static boolean platform() {
        return is("org.junit.platform.launcher.core.LauncherFactory");
    }

    static boolean junit4() {
        return is("org.junit.runner.notification.RunNotifier");
    }

    static boolean junit3() {
        return is("junit.framework.TestResult");
    }

    static boolean jupiter() {
        return is("org.junit.jupiter.api.Test");
    }

    /** Whether there is anything of it that can run tests. */
    static boolean junit() {
        return platform() | junit4() | junit3();
    }

    private static boolean is(String name) {
        try {
            Class.forName(name);
            return true;
        } catch (ClassNotFoundException | LinkageError absent) {
            return false;
        }
    }
}
