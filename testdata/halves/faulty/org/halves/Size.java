package org.halves;

public class Size {
    public static String of(int n) {
        if (n > 100) {
            return "large";
        }
        if (n > 10) {
            return "medium";
        }
        return Half.of(n) > 2 ? "small" : "tiny";
    }
}
