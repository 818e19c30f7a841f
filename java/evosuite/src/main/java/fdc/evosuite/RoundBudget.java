package fdc.evosuite;

import org.evosuite.ga.Chromosome;
import org.evosuite.ga.metaheuristics.GeneticAlgorithm;
import org.evosuite.ga.stoppingconditions.StoppingConditionImpl;

/**
 * Ends a round of the greedy search: after its generations or its time, when the whole search has used up its
 * own, or when a test cannot be bettered. EvoSuite's own conditions count whole seconds and last one longer.
 */
public final class RoundBudget extends StoppingConditionImpl {
    private static final long serialVersionUID = 1;

    private final boolean timed;
    /** Milliseconds if timed, otherwise generations. */
    private final long ofRound;
    private final long ofSearch;
    private final long searchStart = System.currentTimeMillis();
    private long roundStart;
    private long searchGenerations;
    private long roundGenerations;
    private boolean perfect;

    public static RoundBudget timed(double roundSeconds, long searchSeconds) {
        return new RoundBudget(true, Math.max(1, Math.round(roundSeconds * 1000)), searchSeconds * 1000);
    }

    public static RoundBudget counted(int roundGenerations, long searchGenerations) {
        return new RoundBudget(false, roundGenerations, searchGenerations);
    }

    private RoundBudget(boolean timed, long ofRound, long ofSearch) {
        this.timed = timed;
        this.ofRound = ofRound;
        this.ofSearch = ofSearch;
    }

    /** Whether there is nothing left for another round. */
    public boolean isSearchFinished() {
        return (timed ? System.currentTimeMillis() - searchStart : searchGenerations) >= ofSearch;
    }

    public long roundGenerations() {
        return roundGenerations;
    }

    public double roundSeconds() {
        return (System.currentTimeMillis() - roundStart) / 1e3;
    }

    @Override
    public boolean isFinished() {
        return perfect || isSearchFinished() || getCurrentValue() >= ofRound;
    }

    /** A new round begins. */
    @Override
    public void reset() {
        roundStart = System.currentTimeMillis();
        roundGenerations = 0;
        perfect = false;
    }

    @Override
    public void iteration(GeneticAlgorithm<?> algorithm) {
        roundGenerations++;
        searchGenerations++;
    }

    @Override
    public void fitnessEvaluation(Chromosome individual) {
        perfect |= individual.getFitness() == 0;
    }

    @Override
    public long getCurrentValue() {
        return timed ? System.currentTimeMillis() - roundStart : roundGenerations;
    }

    @Override
    public long getLimit() {
        return ofRound;
    }

    @Override
    public void setLimit(long limit) {
        throw new UnsupportedOperationException("the budget of a round is set once");
    }

    @Override
    public void forceCurrentValue(long value) {
        throw new UnsupportedOperationException("the budget of a round is set once");
    }
}
