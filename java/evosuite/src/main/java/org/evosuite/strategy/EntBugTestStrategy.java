package org.evosuite.strategy;

import fdc.evosuite.Finds;
import fdc.evosuite.Guide;
import fdc.evosuite.GuideException;
import fdc.evosuite.Report;
import fdc.evosuite.RoundBudget;
import fdc.evosuite.Row;
import fdc.evosuite.Seeds;
import fdc.evosuite.Session;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.evosuite.Properties;
import org.evosuite.coverage.rho.RhoCoverageTestFitness;
import org.evosuite.ga.metaheuristics.GeneticAlgorithm;
import org.evosuite.rmi.ClientServices;
import org.evosuite.rmi.service.ClientState;
import org.evosuite.testcase.TestChromosome;
import org.evosuite.testsuite.TestSuiteChromosome;
import org.evosuite.utils.LoggingUtils;
import org.evosuite.utils.Randomness;

/**
 * Test by test (<code>-generateTests -Dstrategy=ENTBUG</code>): greedy rounds, each a genetic search for the test
 * that is worth most given T. A round's best test is kept, and T grows by it, if it covers an element of the case
 * and no kept test covers just the same ones. Half of a round's first population are the most valuable tests
 * that earlier rounds came across, valued anew; the others are random.
 */
public class EntBugTestStrategy extends TestGenerationStrategy {
    @Override
    public TestSuiteChromosome generateTests() {
        LoggingUtils.getEvoLogger().info("* Searching test by test, seed {}", Randomness.getSeed());
        TestSuiteChromosome suite = new TestSuiteChromosome();
        Session session = Session.current();
        if (canGenerateTestsForSUT()) {
            ClientServices.getInstance().getClientNode().changeState(ClientState.SEARCH);
            search(session, suite);
        } else {
            LoggingUtils.getEvoLogger().info("* Found no testable methods in {}", Properties.TARGET_CLASS);
        }
        session.reportEnd();
        sendExecutionStatistics();
        LoggingUtils.getEvoLogger().info("* Kept {} tests", suite.size());
        return suite;
    }

    private void search(Session session, TestSuiteChromosome suite) {
        RoundBudget budget = budget(session.guide());
        RhoCoverageTestFitness fitness = new RhoCoverageTestFitness();
        Finds<TestChromosome> finds = new Finds<>(4 * Properties.POPULATION);
        fitness.setWatcher((test, row) -> finds.offer(row, () -> (TestChromosome) test.clone()));
        Seeds seeds = new Seeds();
        GeneticAlgorithm<TestChromosome> algorithm = algorithm();
        algorithm.setStoppingCondition(budget);
        algorithm.setChromosomeFactory(seeds);
        algorithm.addFitnessFunction(fitness);

        for (int number = 1; !budget.isSearchFinished(); number++) {
            budget.reset();
            long evaluations = session.evaluations();
            algorithm.clearPopulation();
            seeds.sow(mostValuable(session, finds));
            algorithm.generateSolution();

            TestChromosome best = algorithm.getBestIndividual();
            // A search without time for one test gives a test that never ran.
            fitness.getFitness(best);
            Row row = session.row(best.getLastExecutionResult());
            Report.Round round = new Report.Round();
            round.number = number;
            round.row = row == null ? new Row(new long[0], 0) : row;
            round.value = row == null ? Double.NaN : session.value(row);
            round.groupsBefore = session.groups();
            round.kept = session.isNew(row);
            if (round.kept) {
                session.keep(row);
                suite.addTest((TestChromosome) best.clone());
            }
            round.groups = session.groups();
            round.evaluations = session.evaluations() - evaluations;
            round.generations = budget.roundGenerations();
            round.seconds = budget.roundSeconds();
            session.report(round);
        }
    }

    /** Half a population of them. */
    private static List<TestChromosome> mostValuable(Session session, Finds<TestChromosome> finds) {
        finds.forget(row -> !session.isNew(row));
        List<Row> rows = finds.rows();
        if (rows.isEmpty()) {
            return new ArrayList<>();
        }
        double[] values = session.values(rows);
        Map<Row, Double> byRow = new HashMap<>();
        for (int place = 0; place < values.length; place++) {
            byRow.put(rows.get(place), values[place]);
        }
        List<TestChromosome> best = finds.best(byRow::get);
        return best.subList(0, Math.min(best.size(), Properties.POPULATION / 2));
    }

    private static GeneticAlgorithm<TestChromosome> algorithm() {
        // EvoSuite's listener for statistics is made for one search: it would wait at the end of every round.
        boolean statistics = Properties.NEW_STATISTICS;
        Properties.NEW_STATISTICS = false;
        try {
            return new PropertiesTestGAFactory().getSearchAlgorithm();
        } finally {
            Properties.NEW_STATISTICS = statistics;
        }
    }

    private static RoundBudget budget(Guide guide) {
        switch (Properties.STOPPING_CONDITION) {
            case MAXTIME:
                if (guide.roundGenerations > 0) {
                    break;
                }
                return RoundBudget.timed(guide.roundSeconds, Properties.SEARCH_BUDGET);
            case MAXGENERATIONS:
                if (guide.roundGenerations == 0) {
                    break;
                }
                return RoundBudget.counted(guide.roundGenerations, Properties.SEARCH_BUDGET);
            default:
                break;
        }
        throw new GuideException("expected stopping_condition=MaxTime with round_seconds in the guide, or MaxGenerations with "
                + "round_generations; found " + Properties.STOPPING_CONDITION + " with "
                + (guide.roundGenerations > 0 ? "round_generations" : "round_seconds"));
    }
}
