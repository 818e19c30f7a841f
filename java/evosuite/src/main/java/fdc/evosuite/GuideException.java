package fdc.evosuite;

import java.nio.file.Path;

/** A guide, or a file that it names, that cannot be used. */
public final class GuideException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public GuideException(String message) {
        super(message);
    }

    public GuideException(Path file, String what, String advice) {
        super(file + ": " + what + "; " + advice);
    }
}
