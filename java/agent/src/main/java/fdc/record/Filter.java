package fdc.record;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which tests to run.
 *
 * <p>In a pattern {@code *} stands for any characters and {@code ?} for one, and it must match the
 * whole id; a pattern with neither matches every id that contains it.
 */
public final class Filter {
    private final List<String> only;
    private final List<String> exclude;
    private final Set<String> skip;
    private final int shard;
    private final int shards;
    /** All that are wanted; null when patterns tell. */
    private final Set<String> exactly;

    private Filter(Builder builder) {
        this.only = builder.only;
        this.exclude = builder.exclude;
        this.skip = builder.skip;
        this.shard = builder.shard;
        this.shards = builder.shards;
        this.exactly = builder.exactly;
    }

    /** These tests, and no others. */
    static Filter exactly(Set<String> ids) {
        Builder builder = new Builder();
        builder.exactly = ids;
        return builder.build();
    }

    /** Collects the lines of a plan. */
    static final class Builder {
        private final List<String> only = new ArrayList<>();
        private final List<String> exclude = new ArrayList<>();
        private final Set<String> skip = new HashSet<>();
        private int shard;
        private int shards = 1;
        private Set<String> exactly;

        void only(String pattern) {
            only.add(pattern);
        }

        void exclude(String pattern) {
            exclude.add(pattern);
        }

        void skip(String id) {
            skip.add(id);
        }

        void shard(int shard, int shards) {
            this.shard = shard;
            this.shards = Math.max(1, shards);
        }

        Filter build() {
            return new Filter(this);
        }
    }

    /** Whether there is a test it leaves out. */
    public boolean isTrivial() {
        return exactly == null && only.isEmpty() && exclude.isEmpty() && skip.isEmpty() && shards == 1;
    }

    /** Whether this test is to be run and reported. */
    public boolean wants(String id) {
        if (exactly != null) {
            return exactly.contains(id);
        }
        return inShard(id) && !skip.contains(id) && (only.isEmpty() || anyMatches(only, id)) && !anyMatches(exclude, id);
    }

    /**
     * Whether a test may be wanted that is known only when it runs: an invocation
     * {@code base[1]}, {@code base[2]}, ... of a parameterised, repeated or dynamic test.
     */
    public boolean mayWant(String base) {
        if (exactly != null) {
            return exactly.stream().anyMatch(id -> id.startsWith(base + '['));
        }
        // Only a wildcard, or a pattern found in the base itself, matches the number below.
        String any = base + "[\0]";
        boolean chosen = only.isEmpty() || anyMatches(only, any);
        for (String pattern : only) {
            chosen |= pattern.indexOf('[') >= 0;
        }
        return inShard(base) && chosen && !anyMatches(exclude, any);
    }

    private boolean inShard(String id) {
        return shards == 1 || Integer.remainderUnsigned(fnv1a(TestNames.topLevelClass(id)), shards) == shard;
    }

    private static boolean anyMatches(List<String> patterns, String id) {
        for (String pattern : patterns) {
            if (matches(pattern, id)) {
                return true;
            }
        }
        return false;
    }

    static boolean matches(String pattern, String id) {
        if (pattern.indexOf('*') < 0 && pattern.indexOf('?') < 0) {
            return id.contains(pattern);
        }
        int at = 0;
        int place = 0;
        int star = -1;
        int resume = 0;
        while (at < id.length()) {
            if (place < pattern.length() && pattern.charAt(place) == '*') {
                star = place++;
                resume = at;
            } else if (place < pattern.length() && (pattern.charAt(place) == '?' || pattern.charAt(place) == id.charAt(at))) {
                place++;
                at++;
            } else if (star >= 0) {
                place = star + 1;
                at = ++resume;
            } else {
                return false;
            }
        }
        while (place < pattern.length() && pattern.charAt(place) == '*') {
            place++;
        }
        return place == pattern.length();
    }

    static int fnv1a(String text) {
        int hash = 0x811c9dc5;
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xff)) * 0x01000193;
        }
        return hash;
    }
}
