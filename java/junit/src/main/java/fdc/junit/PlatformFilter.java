package fdc.junit;

import fdc.record.Session;
import fdc.record.TestNames;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.launcher.PostDiscoveryFilter;

/**
 * Keeps tests that are not wanted from being run, and so classes without any from being set up.
 *
 * <p>What it lets through because it is known only at run time, the invocations of a parameterised
 * test, the agent stops when it comes to run.
 */
public final class PlatformFilter implements PostDiscoveryFilter {
    @Override
    public FilterResult apply(TestDescriptor test) {
        Session session = Session.get();
        if (session == null || session.inTest() || session.filter().isTrivial()) {
            return FilterResult.included("everything is wanted");
        }
        String id = TestNames.ofPlatform(test.getUniqueId().toString());
        boolean wanted = test.isTest() ? session.filter().wants(id)
                : !test.mayRegisterTests() || id.indexOf('#') < 0 || session.filter().mayWant(id);
        return FilterResult.includedIf(wanted, () -> "asked for", () -> "not asked for");
    }
}
