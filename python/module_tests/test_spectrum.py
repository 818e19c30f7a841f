"""Spectra from files and from data at hand."""
import numpy
import pytest

import fdc


def test_a_file_is_read_with_its_tests_and_lines(orders):
    assert repr(orders) == "Spectrum(117 tests, 1 failing, 285 elements, 70 methods)"
    assert orders.failing == ["tests/test_end_to_end.py::test_school_restocks_its_office"]
    failing = next(test for test in orders.tests if test.outcome == "fail")
    assert failing.name == orders.failing[0] and not failing.flaky
    covered = orders.coverage(failing.name)
    assert covered == sorted(set(covered)) and covered
    assert orders.elements[covered[0]].file.startswith("orders/")
    assert set(orders.methods) == {element.method for element in orders.elements}


def test_bits_and_numbers_say_the_same(orders):
    for number in range(len(orders.tests)):
        bits = orders.row(number)
        covered = [e for e in range(len(orders.elements)) if bits[e // 8] >> (e % 8) & 1]
        assert covered == orders.coverage(number)


@pytest.mark.parametrize(
    "matrix",
    [
        [[1, 1, 0], [0, 1, 1], [0, 0, 0]],
        ((True, True, False), (False, True, True), (False, False, False)),
        numpy.array([[1, 1, 0], [0, 1, 1], [0, 0, 0]]),
        numpy.array([[1, 1, 0], [0, 1, 1], [0, 0, 0]], dtype=bool),
        numpy.array([[1.0, 1, 0], [0, 1, 1], [0, 0, 0]]),
    ],
)
def test_a_matrix_may_be_lists_or_numpy(matrix):
    spectrum = fdc.Spectrum.from_matrix(matrix, ["fail", "pass", None], tests=["a", "b", "c"])
    assert [spectrum.coverage(name) for name in "abc"] == [[0, 1], [1, 2], []]
    assert [test.outcome for test in spectrum.tests] == ["fail", "pass", None]


def test_rows_may_be_numbers_or_bits():
    rows = [[2, 0, 2], {1}, bytes([0b101]), numpy.array([True, False, True]), numpy.array([1, 2])]
    outcomes = [False, True, True, True, True]
    spectrum = fdc.Spectrum.from_rows(rows, outcomes, 3)
    assert [spectrum.coverage(test) for test in range(5)] == [[0, 2], [1], [0, 2], [0, 2], [1, 2]]
    assert spectrum.failing == ["0"]


def test_elements_have_places_if_they_are_given():
    lines = [("a.py", 3, "a.f"), ("a.py", 4, "a.f"), ("b.py", 1, "b.g")]
    spectrum = fdc.Spectrum.from_rows([[0, 1], [2]], ["fail", "pass"], lines)
    assert spectrum.methods == ["a.f", "b.g"]
    first = fdc.rank(spectrum)[0]
    assert (first.name, first.file, first.rank, first.lines) == ("a.f", "a.py", 1, [3, 4])
    assert fdc.rank(spectrum, level="line")[2].name == "b.py:1"


def test_what_is_written_is_read_again(orders, tmp_path):
    orders.write(tmp_path / "case.fdc")
    again = fdc.Spectrum.read(str(tmp_path / "case.fdc"))
    assert again.tests == orders.tests and again.elements == orders.elements
    assert all(again.row(test.name) == orders.row(test.name) for test in orders.tests)


def test_outcomes_can_be_set_where_the_input_has_none(tmp_path):
    spectrum = fdc.Spectrum.from_matrix([[1, 0], [1, 1]], [None, None], tests=["a", "b"])
    spectrum.write(tmp_path / "case.fdc")
    judged = fdc.Spectrum.read(tmp_path / "case.fdc", failed=["b"])
    assert [test.outcome for test in judged.tests] == ["pass", "fail"]
