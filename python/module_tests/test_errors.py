"""What is wrong is said, with what to do."""
import pickle

import numpy
import pytest

import fdc

MATRIX = fdc.Spectrum.from_matrix([[1, 1], [1, 0]], ["fail", "pass"], tests=["alpha", "beta"])

CASES = [
    (lambda: fdc.Spectrum.read("no-such-file"), OSError, "no-such-file: cannot open it", "check the path"),
    (lambda: fdc.Spectrum.read(__file__), ValueError, "expected one of the formats case,", "fdc list formats"),
    (lambda: fdc.Spectrum.read(__file__, format="lcof"), KeyError, 'unknown format "lcof"; did you mean "lcov"?', "fdc list formats"),
    (lambda: fdc.Spectrum.from_matrix([[0, 2]], ["pass"]), ValueError, "row 0: expected values 0 and 1, found [0, 2]", "from_rows"),
    (lambda: fdc.Spectrum.from_matrix([[0, 1], [1]], ["pass"] * 2), ValueError, "row 1: expected 2 values, found 1", None),
    (lambda: fdc.Spectrum.from_matrix([[0, 1]], []), ValueError, "expected 1 outcomes, one for every row, found 0", None),
    (lambda: fdc.Spectrum.from_matrix([[0, 1]], ["ok"]), ValueError, 'outcome of test 0: expected "pass", "fail", None', None),
    (lambda: fdc.Spectrum.from_matrix([[0], [1]], [None] * 2, tests=["a", "a"]), ValueError, 'test "a" stands twice', None),
    (lambda: fdc.Spectrum.from_rows([[3]], [None], 3), ValueError, "element 3 is out of range: there are 3", "from 0"),
    (lambda: fdc.Spectrum.from_rows([[-1]], [None], 3), ValueError, "element -1 is out of range", "from 0"),
    (lambda: fdc.Spectrum.from_rows([], [], -1), ValueError, "expected a number of elements, found -1", None),
    (lambda: MATRIX.coverage(2), ValueError, "test 2 is out of range: there are 2", "from 0"),
    (lambda: MATRIX.coverage("alpa"), KeyError, 'no test is named "alpa"', 'did you mean "alpha"?'),
    (lambda: MATRIX.write("x", "csv"), ValueError, "format csv is read, not written", "fdc list formats"),
    (lambda: MATRIX.write("no/such/folder/x"), OSError, "no/such/folder/x", None),
    (lambda: fdc.rank(MATRIX, "ochia"), KeyError, 'unknown formula "ochia"; did you mean "ochiai"?', "fdc.formulas()"),
    (lambda: fdc.rank(MATRIX, level="class"), ValueError, 'level: expected one of method, line, file, found "class"', None),
    (lambda: fdc.rank(MATRIX, failing="beta"), ValueError, "test beta passes: a failing test is needed", "failing tests: alpha"),
    (lambda: fdc.rank(MATRIX, source="no-such-folder"), OSError, "no-such-folder: cannot look for sources in it", None),
    (lambda: fdc.select(MATRIX, metric="rlfd"), KeyError, 'unknown metric "rlfd"; did you mean "rlfdc"?', "fdc.metrics()"),
    (lambda: fdc.select(MATRIX, metric="weight:alpha=7"), ValueError, "metric weight: expected", "fdc.metrics()"),
    (lambda: fdc.select(MATRIX, model="no-such-model"), OSError, "no-such-model: cannot be read", "check that the file exists"),
    (lambda: fdc.select(MATRIX, metric="tfd", model="m"), ValueError, "not with tfd", "leave model= out"),
    (lambda: fdc.Fitness(3, [0], "fdg"), ValueError, "metric fdg looks at outcomes", "fdc.metrics()"),
    (lambda: fdc.Fitness(3), ValueError, "expected the failing test's row, found none", "a Spectrum"),
    (lambda: fdc.Fitness(3, [0], "tfd").of_test(b""), ValueError, "expected a row of 1 bytes for 3 elements, found 0 bytes", "element numbers"),
    (lambda: fdc.Fitness(3, [0], "tfd").of_test(["a"]), ValueError, "expected element numbers or bits for a row, found str", None),
    (lambda: fdc.Fitness(3, [0], "tfd").of_test(7), ValueError, "expected element numbers or bits for a row, found int", None),
    (lambda: fdc.Fitness(3, [0], "tfd").of_test(numpy.array([0.5])), ValueError, "expected a row of bool, uint8 or whole numbers, found float64", None),
    (lambda: fdc.Fitness(3, [0], "tfd").of_test(numpy.zeros(2, dtype=bool)), ValueError, "expected 3 values in a row, found 2", None),
]


@pytest.mark.parametrize("call, kind, message, hint", CASES, ids=[case[2] for case in CASES])
def test_errors_are_exceptions_with_advice(call, kind, message, hint):
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    assert isinstance(error, fdc.FdcError)
    assert message in error.message and message in str(error)
    if hint is not None:
        assert hint in error.hint and hint in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_several_failing_tests_speak_together():
    rows = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 1]]
    spectrum = fdc.Spectrum.from_matrix(rows, ["fail", "fail", "fail", None], tests=["a", "b", "c", "d"])
    assert [pick.test for pick in fdc.select(spectrum)] == ["d"]
    assert {suspect.fault for suspect in fdc.rank(spectrum, top=2)} == {1, 2}
    assert {suspect.fault for suspect in fdc.rank(spectrum, faults="one")} == {None}


def test_no_failing_test_says_so():
    spectrum = fdc.Spectrum.from_matrix([[1], [1]], ["pass", None])
    with pytest.raises(fdc.InputError, match="no test fails among 2"):
        fdc.rank(spectrum)
