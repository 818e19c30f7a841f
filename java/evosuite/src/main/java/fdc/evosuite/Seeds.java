package fdc.evosuite;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import org.evosuite.ga.ChromosomeFactory;
import org.evosuite.testcase.TestChromosome;
import org.evosuite.testcase.factories.RandomLengthTestFactory;

/** The first population of a round: given tests, then random ones. */
public final class Seeds implements ChromosomeFactory<TestChromosome> {
    private static final long serialVersionUID = 1;

    private final transient Deque<TestChromosome> seeds = new ArrayDeque<>();
    private final RandomLengthTestFactory random = new RandomLengthTestFactory();

    public void sow(Collection<TestChromosome> tests) {
        seeds.clear();
        seeds.addAll(tests);
    }

    @Override
    public TestChromosome getChromosome() {
        TestChromosome seed = seeds.poll();
        return seed == null ? random.getChromosome() : (TestChromosome) seed.clone();
    }
}
