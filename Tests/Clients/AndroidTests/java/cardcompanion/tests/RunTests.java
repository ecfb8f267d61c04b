package cardcompanion.tests;

import java.util.ArrayList;
import java.util.List;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Runs the tests of the classes that are named, and prints for each failure where and why. */
public final class RunTests {
    private RunTests() {}

    public static void main(String[] names) throws ClassNotFoundException {
        List<Class<?>> classes = new ArrayList<>();
        for (String name : names) classes.add(Class.forName(name));
        JUnitCore runner = new JUnitCore();
        runner.addListener(new Times());
        Result result = runner.run(classes.toArray(new Class<?>[0]));
        for (Failure failure : result.getFailures()) print(failure);
        System.out.println(
            result.getRunCount() + " tests of " + names.length + " classes in " + result.getRunTime() + " ms, "
                + result.getFailureCount() + " failed, " + result.getIgnoreCount() + " left out");
        boolean isWhole = result.wasSuccessful() && result.getRunCount() >= names.length && names.length > 0;
        System.exit(isWhole && result.getIgnoreCount() == 0 ? 0 : 1);
    }

    /** Names the tests that take longer than a second. */
    private static final class Times extends RunListener {
        private long start;

        @Override
        public void testStarted(Description test) {
            start = System.nanoTime();
        }

        @Override
        public void testFinished(Description test) {
            long milliseconds = (System.nanoTime() - start) / 1_000_000;
            if (milliseconds > 1000) System.out.println(test.getDisplayName() + " took " + milliseconds + " ms");
        }
    }

    private static void print(Failure failure) {
        Description test = failure.getDescription();
        System.out.println("FAILED " + test.getTestClass().getSimpleName() + "." + test.getMethodName());
        System.out.println("    " + failure.getException());
        for (StackTraceElement place : failure.getException().getStackTrace()) {
            if (place.getClassName().startsWith("cardcompanion.")) System.out.println("    at " + place);
        }
    }
}
