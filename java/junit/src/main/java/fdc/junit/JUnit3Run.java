package fdc.junit;

import fdc.record.JUnitHooks;
import fdc.record.Session;
import java.util.Enumeration;
import java.util.List;
import junit.framework.AssertionFailedError;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestListener;
import junit.framework.TestResult;
import junit.framework.TestSuite;

/** Tests run by JUnit 3, where there is nothing newer. */
final class JUnit3Run {
    private JUnit3Run() {}

    static void run(List<Class<?>> classes, Tally tally) {
        for (Class<?> each : classes) {
            Test suite = suite(each);
            if (tally.listsOnly()) {
                list(suite, tally);
                continue;
            }
            TestResult result = new TestResult();
            result.addListener(new TestListener() {
                @Override
                public void addError(Test test, Throwable error) {
                    tally.failed(id(test), JUnitHooks.note(error));
                }

                @Override
                public void addFailure(Test test, AssertionFailedError error) {
                    tally.failed(id(test), JUnitHooks.note(error));
                }

                @Override
                public void endTest(Test test) {
                    tally.ran();
                }

                @Override
                public void startTest(Test test) {}
            });
            suite.run(result);
        }
    }

    private static Test suite(Class<?> testClass) {
        try {
            return (Test) testClass.getMethod("suite").invoke(null);
        } catch (ReflectiveOperationException | ClassCastException none) {
            return new TestSuite(testClass.asSubclass(TestCase.class));
        }
    }

    private static void list(Test test, Tally tally) {
        if (test instanceof TestSuite) {
            for (Enumeration<?> tests = ((TestSuite) test).tests(); tests.hasMoreElements();) {
                list((Test) tests.nextElement(), tally);
            }
        } else if (Session.get().filter().wants(id(test))) {
            tally.listed(id(test));
        }
    }

    private static String id(Test test) {
        return test.getClass().getName() + '#' + (test instanceof TestCase ? ((TestCase) test).getName() : "runTest");
    }
}
