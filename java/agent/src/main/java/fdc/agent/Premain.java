package fdc.agent;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.net.URISyntaxException;

/**
 * Where the JVM enters the agent.
 *
 * <p>The agent is given to every JVM of a build through {@code JAVA_TOOL_OPTIONS}, so to Maven and
 * the compiler too. It does nothing unless it is told a spool folder and a plan file, by the
 * environment ({@code FDC_SPOOL}, {@code FDC_PLAN}) or by its arguments ({@code spool=...,plan=...},
 * which win), and it does next to nothing until JUnit or the code under test is loaded.
 */
public final class Premain {
    private static final String SPOOL = "spool=";
    private static final String PLAN = "plan=";

    private Premain() {}

    /** Called by the JVM before {@code main}. */
    public static void premain(String arguments, Instrumentation instrumentation) {
        String spool = option(arguments, SPOOL, System.getenv("FDC_SPOOL"));
        String plan = option(arguments, PLAN, System.getenv("FDC_PLAN"));
        if (spool == null || plan == null) {
            return;
        }
        try {
            File jar = new File(Premain.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            Lookout lookout = new Lookout(instrumentation, jar, spool, plan);
            // Not one that is asked again: what Mockito and others redefine later keeps its probes.
            instrumentation.addTransformer(lookout);
        } catch (IOException | URISyntaxException | RuntimeException error) {
            System.err.println("fdc: this JVM is not measured: " + error);
        }
    }

    /** A value ends at the next option, so that folders may hold commas. */
    private static String option(String arguments, String key, String otherwise) {
        String all = arguments == null ? "" : "," + arguments;
        int start = all.indexOf("," + key);
        if (start < 0) {
            return otherwise == null || otherwise.isEmpty() ? null : otherwise;
        }
        String value = all.substring(start + 1 + key.length());
        int end = value.indexOf("," + (key.equals(SPOOL) ? PLAN : SPOOL));
        return end < 0 ? value : value.substring(0, end);
    }
}
