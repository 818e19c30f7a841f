/*
 * fdc: what a new test is worth for the diagnosis of a fault, as a fitness for test generators.
 *
 * Link with libfdc_jni (cargo build --release -p fdc-jni).
 *
 * A fitness looks at a failing test and the new tests kept so far, together T, through one metric.
 * It is a number: one that was closed or never given is an error and nothing worse.
 *
 * A row is a test's coverage: element e is bit e % 64 of word e / 64. Bits past the last element are
 * ignored. Several rows stand end to end. Lengths are in words (of 64 bits) and are checked.
 *
 * Every function may be called from any thread. One that fails leaves a message for fdc_last_error.
 */
#ifndef FDC_H
#define FDC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An open fitness; above 0. */
typedef int64_t fdc_fitness;

/*
 * Opens a fitness beside a failing test of a case. Texts are UTF-8.
 *
 * case_file     a case file, or other coverage that fdc reads
 * failing_test  a failing test of it, as the case spells it
 * metric        a metric that sees coverage alone: "rlfdc", "entbug", "weight:alpha=0.3", ...
 * model_file    the model of a learned metric, or NULL for the built-in one
 *
 * 0 on failure.
 */
fdc_fitness fdc_open_case(const char *case_file, const char *failing_test, const char *metric,
                          const char *model_file);

/*
 * Opens a fitness without a case: over so many elements, each a method of its own, beside a failing
 * row of (elements + 63) / 64 words. 0 on failure.
 */
fdc_fitness fdc_open_plain(size_t elements, const uint64_t *failing_row, size_t words,
                           const char *metric, const char *model_file);

/* Closes it. 0, or -1 if it was not open. */
int fdc_close(fdc_fitness fitness);

/* Number of elements; -2 on failure. */
int64_t fdc_elements(fdc_fitness fitness);

/* Words of one row; -2 on failure. */
int64_t fdc_words(fdc_fitness fitness);

/* New tests kept so far; -2 on failure. */
int64_t fdc_kept(fdc_fitness fitness);

/* Ambiguity groups of T among the elements that the failing test covers; -2 on failure. */
int64_t fdc_groups(fdc_fitness fitness);

/*
 * The element of a line. unit is a Java class by its binary name (a.b.C$D), or else a file as the
 * case spells it. -1 where there is no element, -2 on failure.
 */
int64_t fdc_element(fdc_fitness fitness, const char *unit, uint32_t line);

/* The value of one test given T; more is better. 0, or -1 on failure. */
int fdc_of_test(fdc_fitness fitness, const uint64_t *row, size_t words, double *value);

/*
 * The value of each of several tests alone, given T; words are those of all rows together. 0, or -1
 * on failure.
 */
int fdc_of_tests(fdc_fitness fitness, const uint64_t *rows, size_t words, double *values,
                 size_t tests);

/*
 * The value of a suite beside T: for entbug, ddu and tfd that of the whole matrix, for other metrics
 * the mean over at most ten greedy picks. 0 for no tests. Returns 0, or -1 on failure.
 */
int fdc_of_suite(fdc_fitness fitness, const uint64_t *rows, size_t words, size_t tests,
                 double *value);

/* A value as something to make small, 0 to 1. 0, or -1 on failure. */
int fdc_loss(fdc_fitness fitness, double value, double *loss);

/* Puts a test into T. 0, or -1 on failure. */
int fdc_keep(fdc_fitness fitness, const uint64_t *row, size_t words);

/* What this thread's last failure was; empty before the first. Valid until the next failure. */
const char *fdc_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
