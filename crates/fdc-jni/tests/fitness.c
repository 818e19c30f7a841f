/* Uses every function of fdc.h on the case of testdata/gzoltar/shop; argv[1] is its folder. */
#include "fdc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAILING "org.shop.CartTest#addsTwice"

static void expect(int holds, const char *what, int line) {
    if (!holds) {
        fprintf(stderr, "line %d: expected %s; last error: %s\n", line, what, fdc_last_error());
        exit(1);
    }
}
#define EXPECT(what) expect((what), #what, __LINE__)

static int said(const char *part) {
    return strstr(fdc_last_error(), part) != NULL;
}

static void values(const char *shop) {
    uint64_t rows[2] = {0x3, 0x8};
    double value = -1, both[2] = {-1, -1};
    fdc_fitness fitness = fdc_open_case(shop, FAILING, "tfd", NULL);
    EXPECT(fitness > 0);
    EXPECT(fdc_elements(fitness) == 5 && fdc_words(fitness) == 1);
    EXPECT(fdc_element(fitness, "org.shop.Cart", 12) == 2);
    EXPECT(fdc_element(fitness, "org.shop.Cart$Line", 30) == 3);
    EXPECT(fdc_element(fitness, "org.shop.Cart", 30) == -1);
    EXPECT(fdc_element(fitness, "org.shop.Carts", 12) == -1);
    EXPECT(fdc_of_test(fitness, rows, 1, &value) == 0 && value == 3);
    EXPECT(fdc_of_tests(fitness, rows, 2, both, 2) == 0 && both[0] == 3 && both[1] == 3);
    EXPECT(fdc_of_suite(fitness, rows, 2, 2, &value) == 0 && value == 4);
    EXPECT(fdc_loss(fitness, 4, &value) == 0 && value == 0.2);
    EXPECT(fdc_groups(fitness) == 1 && fdc_kept(fitness) == 0);
    EXPECT(fdc_keep(fitness, rows, 1) == 0);
    EXPECT(fdc_groups(fitness) == 2 && fdc_kept(fitness) == 1);
    EXPECT(fdc_close(fitness) == 0);
}

static void refusals(const char *shop) {
    uint64_t row[2] = {0x1f, 0};
    double value = 7;
    fdc_fitness fitness = fdc_open_plain(5, row, 1, "rlfdc", NULL);
    EXPECT(fitness > 0 && strcmp(fdc_last_error(), "") == 0);
    EXPECT(fdc_of_test(fitness, row, 2, &value) == -1 && said("expected rows of 1 words, found 2"));
    EXPECT(fdc_of_test(fitness, NULL, 1, &value) == -1 && said("row, found null"));
    EXPECT(fdc_of_test(fitness, row, 1, NULL) == -1 && said("value, found null"));
    EXPECT(fdc_of_suite(fitness, row, 1, (size_t)-1, &value) == -1);
    EXPECT(fdc_of_tests(fitness, row, (size_t)-1, &value, 1) == -1 && said("beyond all memory"));
    EXPECT(value == 7);
    EXPECT(fdc_close(fitness) == 0);
    EXPECT(fdc_close(fitness) == -1 && said("not open"));
    EXPECT(fdc_of_test(fitness, row, 1, &value) == -1 && fdc_elements(fitness) == -2);
    EXPECT(fdc_open_case("/no/such/case.fdc", FAILING, "tfd", NULL) == 0 && said("/no/such/case.fdc"));
    EXPECT(fdc_open_case(shop, "CartTest#addsTwice", "tfd", NULL) == 0 && said(FAILING));
    EXPECT(fdc_open_case(shop, "org.shop.MainTest#prints", "tfd", NULL) == 0 && said("passes"));
    EXPECT(fdc_open_case(shop, FAILING, "tdf", NULL) == 0 && said("did you mean \"tfd\""));
    EXPECT(fdc_open_case(shop, FAILING, "fdg", NULL) == 0 && said("looks at outcomes"));
    EXPECT(fdc_open_case(shop, FAILING, NULL, NULL) == 0 && said("metric, found null"));
    EXPECT(fdc_open_case(shop, FAILING, "\xff", NULL) == 0 && said("UTF-8"));
    EXPECT(fdc_open_plain((size_t)-1, row, 1, "tfd", NULL) == 0 && said("number of elements"));
}

int main(int count, char **arguments) {
    EXPECT(count == 2);
    refusals(arguments[1]);
    values(arguments[1]);
    puts("every function did as the header says");
    return 0;
}
