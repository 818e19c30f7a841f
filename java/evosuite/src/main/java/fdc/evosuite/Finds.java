package fdc.evosuite;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Tests that a search came across, one for each row, the first seen. What was worth little beside T may be worth
 * more after T has grown, so rounds begin with the best of them.
 */
public final class Finds<C> {
    private final int most;
    private final Map<Row, C> byRow = new LinkedHashMap<>();

    /** Remembers up to twice as many between rounds. */
    public Finds(int most) {
        this.most = most;
    }

    /** Remembers a test if its row is new. Only then is it asked for. */
    public void offer(Row row, Supplier<C> test) {
        if (byRow.size() < 2 * most && !byRow.containsKey(row)) {
            byRow.put(row, test.get());
        }
    }

    public List<Row> rows() {
        return new ArrayList<>(byRow.keySet());
    }

    /** Forgets rows for which that holds. */
    public void forget(Predicate<Row> which) {
        byRow.keySet().removeIf(which);
    }

    /** The tests by descending value, the earlier one on a tie; those past the number remembered are forgotten. */
    public List<C> best(ToDoubleFunction<Row> value) {
        List<Row> rows = rows();
        Map<Row, Double> values = new LinkedHashMap<>();
        rows.forEach(row -> values.put(row, value.applyAsDouble(row)));
        rows.sort(Comparator.comparing(values::get, Comparator.reverseOrder()));
        List<C> best = new ArrayList<>();
        for (Row row : rows) {
            if (best.size() < most) {
                best.add(byRow.get(row));
            } else {
                byRow.remove(row);
            }
        }
        return best;
    }
}
