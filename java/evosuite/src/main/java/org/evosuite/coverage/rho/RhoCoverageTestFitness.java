package org.evosuite.coverage.rho;

import fdc.evosuite.Row;
import fdc.evosuite.Session;
import org.evosuite.Properties;
import org.evosuite.testcase.TestChromosome;
import org.evosuite.testcase.TestFitnessFunction;
import org.evosuite.testcase.execution.ExecutionResult;

/**
 * What a single test is worth: its loss given T, under the guide's metric. The worst value for one that cannot
 * be kept: it hangs, is no valid test, covers no element, or covers just what a kept test covers.
 */
public class RhoCoverageTestFitness extends TestFitnessFunction {
    private static final long serialVersionUID = 1;
    private static final double WORST = 1;

    private transient Watcher watcher;

    /** Told of every test that could be kept. */
    public interface Watcher {
        void seen(TestChromosome test, Row row);
    }

    public void setWatcher(Watcher watcher) {
        this.watcher = watcher;
    }

    @Override
    public double getFitness(TestChromosome individual, ExecutionResult result) {
        Session session = Session.current();
        Row row = session.row(result);
        double loss = WORST;
        if (session.isNew(row)) {
            loss = session.loss(row);
            if (watcher != null) {
                watcher.seen(individual, row);
            }
        }
        updateIndividual(this, individual, loss);
        return loss;
    }

    /** Called once a generation. */
    @Override
    public boolean updateCoveredGoals() {
        Session.current().countGeneration();
        return false;
    }

    @Override
    public int compareTo(TestFitnessFunction other) {
        return compareClassName(other);
    }

    /** All are of the one search, so all are equal. */
    @Override
    public boolean equals(Object other) {
        return other instanceof RhoCoverageTestFitness;
    }

    @Override
    public int hashCode() {
        return RhoCoverageTestFitness.class.hashCode();
    }

    @Override
    public String getTargetClass() {
        return Properties.TARGET_CLASS;
    }

    @Override
    public String getTargetMethod() {
        return "";
    }
}
