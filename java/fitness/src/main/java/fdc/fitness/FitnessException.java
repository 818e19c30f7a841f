package fdc.fitness;

/** Why a {@link Fitness} did not do what it was asked; the message says what was expected and what was found. */
public final class FitnessException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The native side makes it with a message alone. */
    public FitnessException(String message) {
        super(message);
    }

    FitnessException(String message, Throwable cause) {
        super(message, cause);
    }
}
