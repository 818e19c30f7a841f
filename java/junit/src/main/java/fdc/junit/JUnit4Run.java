package fdc.junit;

import fdc.record.JUnitHooks;
import fdc.record.Session;
import fdc.record.TestNames;
import java.util.List;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Tests run by JUnit 4, which runs those of JUnit 3 too. */
final class JUnit4Run {
    private JUnit4Run() {}

    static void run(List<Class<?>> classes, Tally tally) {
        Request request = Request.classes(classes.toArray(new Class<?>[0]));
        if (tally.listsOnly()) {
            list(request.getRunner().getDescription(), tally);
            return;
        }
        JUnitCore core = new JUnitCore();
        core.addListener(new RunListener() {
            @Override
            public void testFinished(Description description) {
                tally.ran();
            }

            @Override
            public void testIgnored(Description description) {
                tally.ran();
            }

            @Override
            public void testFailure(Failure failure) {
                String id = TestNames.ofDescription(failure.getDescription().getDisplayName());
                tally.failed(id, JUnitHooks.note(failure.getException()));
            }
        });
        core.run(request);
    }

    private static void list(Description description, Tally tally) {
        if (description.isTest()) {
            String id = TestNames.ofDescription(description.getDisplayName());
            if (Session.get().filter().wants(id)) {
                tally.listed(id);
            }
        }
        for (Description child : description.getChildren()) {
            list(child, tally);
        }
    }
}
