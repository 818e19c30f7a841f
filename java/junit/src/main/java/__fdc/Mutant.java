package __fdc;

/** What woven sources ask. The package's name is one that no variable has. */
public final class Mutant {
    /** The number of the mutant that is switched on; 0 for none. */
    public static int on;

    private Mutant() {}
}
