package fdc.evosuite;

import java.util.ArrayList;
import java.util.List;
import org.evosuite.testcase.ExecutableChromosome;
import org.evosuite.testsuite.AbstractTestSuiteChromosome;

/** The end of a search for a whole suite: its tests join T, the one worth most first. */
public final class Final {
    private static boolean isReported;

    private Final() {
    }

    /** Only the first time: there is one final suite. */
    public static synchronized void report(AbstractTestSuiteChromosome<? extends ExecutableChromosome> suite) {
        if (isReported) {
            return;
        }
        isReported = true;
        Session session = Session.current();
        List<Row> left = new ArrayList<>();
        for (ExecutableChromosome test : suite.getTestChromosomes()) {
            left.add(session.row(test.getLastExecutionResult()));
        }
        left.removeIf(row -> !session.isNew(row));
        for (int number = 1; !left.isEmpty(); number++) {
            Report.Round round = new Report.Round();
            long before = System.nanoTime();
            double[] values = session.values(left);
            int best = 0;
            for (int place = 1; place < values.length; place++) {
                if (values[place] > values[best]) {
                    best = place;
                }
            }
            round.number = number;
            round.value = values[best];
            round.row = left.remove(best);
            round.kept = true;
            round.groupsBefore = session.groups();
            session.keep(round.row);
            round.groups = session.groups();
            round.evaluations = 1;
            round.seconds = (System.nanoTime() - before) / 1e9;
            session.report(round);
            left.removeIf(row -> !session.isNew(row));
        }
        session.reportEnd();
    }
}
