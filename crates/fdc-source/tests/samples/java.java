package org.example.sample;

import java.util.*;

@SuppressWarnings("unchecked")
public abstract class Sample<T extends Comparable<T>> implements Runnable {
    private static final Runnable FIELD = new Runnable() {
        @Override
        public void run() {
            System.out.println();
        }
    };

    static {
        System.out.println("loaded");
    }

    public Sample() {
        this(1, "x");
    }

    @Deprecated
    @SuppressWarnings({"a", "b"})
    protected Sample(int count,
                     final String name) throws Exception {
        super();
    }

    public abstract void missing();

    @Override
    public void run() {
        Runnable r = () -> {
            System.out.println("lambda");
        };
        class Local {
            Local() {}
            void go(int[] xs, String ys[]) {}
        }
        new Object() {
            public String toString() { return ""; }
        };
    }

    public <K, V> Map<K, List<V>> generic(
            Map<? extends K, java.util.List<V>> map,
            @Nullable T[] values,
            String... rest) {
        switch (rest.length) {
            case 0 -> { return null; }
            default -> { return Map.of(); }
        }
    }

    Object arguments = new Outside(new Object() { void inArgument() {} }) { void inBody() {} };

    public void overload(int x) {}

    public void overload(long x) {}

    static class Inner {
        class Deep {
            Deep(List<String> names) {
            }
        }
    }

    interface Shape {
        double area();

        default String name() {
            return "shape";
        }

        static Shape unit() { return null; }
    }

    enum Op {
        PLUS("+") {
            int apply(int a, int b) { return a + b; }
        },
        MINUS("-") {
            int apply(int a, int b) { return a - b; }
        };

        Op(String sign) {}

        abstract int apply(int a, int b);

        static Op of(char c) {
            return PLUS;
        }
    }

    record Pair<A, B>(A left, List<B> right) {
        Pair {
            Objects.requireNonNull(left);
        }

        A swap() { return left; }
    }

    @interface Marker {
        int value() default 1;
    }
}

class Second {
    int field;

    synchronized int get() { return field; }
}
