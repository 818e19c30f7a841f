package fdc.record;

/** A class that an instruction makes the JVM initialise, by its name in class files. */
public final class Need {
    final String name;
    /** The name is that of an interface which a lambda implements: its default methods decide. */
    final boolean implemented;

    private Need(String name, boolean implemented) {
        this.name = name;
        this.implemented = implemented;
    }

    /** The class itself: a static member of it is used, or an instance made. */
    public static Need of(String name) {
        return new Need(name, false);
    }

    /** What the JVM initialises when a class that implements the interface is. */
    public static Need implementing(String name) {
        return new Need(name, true);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Need && name.equals(((Need) other).name) && implemented == ((Need) other).implemented;
    }

    @Override
    public int hashCode() {
        return name.hashCode() + (implemented ? 1 : 0);
    }
}
