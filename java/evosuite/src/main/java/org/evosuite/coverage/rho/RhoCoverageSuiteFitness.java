package org.evosuite.coverage.rho;

import fdc.evosuite.Final;
import fdc.evosuite.Row;
import fdc.evosuite.Session;
import java.util.ArrayList;
import java.util.List;
import org.evosuite.testcase.ExecutableChromosome;
import org.evosuite.testcase.execution.ExecutionResult;
import org.evosuite.testcase.execution.ExecutionTracer;
import org.evosuite.testsuite.AbstractTestSuiteChromosome;
import org.evosuite.testsuite.TestSuiteFitnessFunction;

/**
 * What EvoSuite makes small under <code>-criterion RHO</code>: the loss of the suite beside T under the guide's
 * metric. Tests that cover no element are left out. A suite with no other, or with a test that hangs or is no
 * valid test, gets the worst value; the latter as under EvoSuite's own criteria.
 *
 * <p>The first of these objects is the search's. EvoSuite makes another to value the suite it ends with; that
 * is when the final suite's tests are reported and kept.
 */
public class RhoCoverageSuiteFitness extends TestSuiteFitnessFunction {
    private static final long serialVersionUID = 1;
    private static final double WORST = 1;

    private static boolean isSearchKnown;

    private final boolean isOfSearch;

    public RhoCoverageSuiteFitness() {
        isOfSearch = !isSearchKnown;
        isSearchKnown = true;
        Session.current();
    }

    @Override
    public double getFitness(AbstractTestSuiteChromosome<? extends ExecutableChromosome> suite) {
        double loss = getFitness(suite, true);
        if (!isOfSearch) {
            Final.report(suite);
        }
        return loss;
    }

    /** EvoSuite's secondary objective of the same name calls this one. */
    protected double getFitness(AbstractTestSuiteChromosome<? extends ExecutableChromosome> suite, boolean update) {
        // EvoSuite switches on the recording of calls for this criterion. Lines do not need it.
        ExecutionTracer.disableTraceCalls();
        Session session = Session.current();
        List<Row> rows = new ArrayList<>(suite.size());
        boolean valid = true;
        for (ExecutionResult result : runTestSuite(suite)) {
            Row row = session.row(result);
            valid &= row != null;
            if (row != null && !row.isEmpty()) {
                rows.add(row);
            }
        }
        double loss = valid && !rows.isEmpty() ? session.lossOfSuite(rows) : WORST;
        if (update) {
            updateIndividual(this, suite, loss);
        }
        return loss;
    }

    /** Called once a generation. */
    @Override
    public boolean updateCoveredGoals() {
        Session.current().countGeneration();
        return false;
    }
}
