"""The value of tests and suites that do not exist yet."""
import threading

import numpy
import pytest

import fdc


def split():
    return fdc.Fitness(6, [0, 1, 2, 3], "split")


def test_values_are_those_of_the_formula():
    # 4/6 * 2 for a test of 0 and 1, then 2/6 * 1 for one of 2.
    fitness = split()
    assert fitness.of_test([0, 1]) == 8 / 6
    assert fitness.of_suite([[2], [0, 1, 5]]) == (8 / 6 + 2 / 6) / 2
    assert fitness.of_suite([]) == 0
    assert (fitness.elements, fitness.kept, fitness.groups) == (6, 0, 1)
    fitness.keep([0, 1])
    assert (fitness.kept, fitness.groups) == (1, 2)
    assert fitness.of_tests([[0, 1], [2]]) == [0, 2 / 6]


@pytest.mark.parametrize(
    "row",
    [
        [0, 1],
        (1, 0, 0),
        {0, 1},
        iter([0, 1]),
        range(2),
        bytes([3]),
        bytes([3]) + bytes(7),
        bytearray([3]),
        memoryview(bytes([3])),
        numpy.array([0, 1]),
        numpy.array([1, 1, 0, 0, 0, 0], dtype=bool),
        numpy.packbits(numpy.array([1, 1, 0, 0, 0, 0], dtype=bool), bitorder="little"),
    ],
    ids=repr,
)
def test_rows_come_in_many_forms(row):
    assert split().of_test(row) == 8 / 6


def test_a_spectrum_knows_its_failing_test(orders):
    by_name = fdc.Fitness(orders, orders.failing[0], "rlfdc")
    alone = fdc.Fitness(orders, metric="rlfdc")
    by_row = fdc.Fitness(orders, orders.row(orders.failing[0]), "rlfdc")
    rows = [orders.row(number) for number in range(20)]
    assert by_name.of_tests(rows) == alone.of_tests(rows) == by_row.of_tests(rows)
    assert len(set(by_name.of_tests(rows))) > 1


def test_values_are_those_that_select_sees(orders):
    picks = fdc.select(orders, metric="rlfdc", reveal=True, number=3)
    fitness = fdc.Fitness(orders, metric="rlfdc")
    for pick in picks:
        assert fitness.of_test(orders.row(pick.test)) == pytest.approx(pick.score, abs=1e-6)
        fitness.keep(orders.row(pick.test))


def test_a_loss_is_smaller_for_a_better_value():
    for metric in (metric.name for metric in fdc.metrics() if not metric.sees_outcomes):
        fitness = fdc.Fitness(6, [0, 1, 2, 3], metric)
        low, high = sorted([fitness.of_suite([[0]]), fitness.of_suite([[0, 1], [1, 2]])])
        assert 0 <= fitness.loss(high) <= fitness.loss(low) <= 1


def test_threads_may_ask_at_the_same_time():
    fitness = split()
    answers = []

    def ask():
        answers.extend(fitness.of_test([0, 1]) for _ in range(200))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert answers == [8 / 6] * 800
