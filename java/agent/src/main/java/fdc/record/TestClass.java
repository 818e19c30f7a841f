package fdc.record;

/** A class (or suite) of tests that is being run, and what its set-up covered. */
final class TestClass extends Owner {
    final String name;
    /** The class or suite around it, or null. */
    final TestClass outer;
    /** What ran between its start and its first test. */
    final Lines setUp = new Lines();
    private volatile boolean inSetUp = true;

    TestClass(String name, TestClass outer) {
        this.name = name;
        this.outer = outer;
    }

    @Override
    boolean takesHits() {
        return inSetUp;
    }

    /** Its first test begins: set-up is over, here and in what is around it. */
    void endSetUp() {
        for (TestClass each = this; each != null; each = each.outer) {
            if (each.inSetUp) {
                each.inSetUp = false;
                each.setUp.add(each.hits.take());
            }
        }
    }
}
