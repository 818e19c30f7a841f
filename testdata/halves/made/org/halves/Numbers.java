package org.halves;

class Numbers {
    static final int HUNDRED_AND_ONE = 101;
}
