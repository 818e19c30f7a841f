package fdc.evosuite;

import java.util.LinkedHashMap;
import java.util.Map;

/** Losses worked out before, the latest used. Searches come back to the same rows over and over. */
final class Recall<K> extends LinkedHashMap<K, Double> {
    private static final long serialVersionUID = 1;

    private final int most;

    Recall(int most) {
        super(16, 0.75f, true);
        this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, Double> eldest) {
        return size() > most;
    }
}
