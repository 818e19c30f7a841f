"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { placeOf, treeOf, testsBelow, filesOf, addedUp, suspectItem, testItem } = require("../src/tree.js");

test("ids of every ecosystem have their place", () => {
    const cases = {
        "tests/test_cart.py::TestCart::test_add[1]": [["tests/test_cart.py", "TestCart"], "test_add[1]"],
        "t.py::test_a[x::y.py::z]": [["t.py"], "test_a[x::y.py::z]"],
        "org.x.CartTest#add(int)[2]": [["org.x.CartTest"], "add(int)[2]"],
        "till::tests::adds": [["till::tests"], "adds"],
        "shop/TestAdd/empty/deep": [["shop"], "TestAdd/empty/deep"],
        "statement": [[], "statement"],
    };
    for (const [name, [groups, label]] of Object.entries(cases)) {
        assert.deepEqual(placeOf(name), { groups, label }, name);
    }
});

test("a tree holds every test once, whatever it is called", () => {
    const names = ["a.py::x", "b.py::y", "a.py::C::z", "a.py::x[1]", "__proto__", "constructor"];
    const tree = treeOf(names.map((name) => ({ name })));
    assert.deepEqual(tree.map((node) => node.label), ["a.py", "b.py", "__proto__", "constructor"]);
    const found = testsBelow(tree).map((own) => own.name);
    assert.deepEqual(found.sort(), [...names].sort());
    assert.deepEqual(testsBelow([tree[0]]).map((own) => own.name), ["a.py::x", "a.py::C::z", "a.py::x[1]"]);
});

test("files are those that the wanted tests run", () => {
    const files = [
        { uri: "file:///a", lines: 3, covered: 2, tests: [0, 2] },
        { uri: "file:///b", lines: 1, covered: 1, tests: [1] },
        { uri: null, lines: 1, covered: 1, tests: [0] },
    ];
    assert.deepEqual(filesOf(files, [2, 7]), [{ uri: "file:///a", lines: 3, covered: 2, tests: [2] }]);
});

test("counts of several tests add up, by line", () => {
    const one = [{ line: 10, tests: 1 }, { line: 2, tests: 0 }];
    const other = [{ line: 10, tests: 1 }];
    assert.deepEqual(addedUp([one, other]), [{ line: 2, tests: 0 }, { line: 10, tests: 2 }]);
});

test("lists say what is known", () => {
    const suspect = { method: "f", rank: 1, score: "23 %", why: ["a", "b"], uri: null, line: null };
    assert.deepEqual(suspectItem(suspect), { label: "1. f", description: "23 %", detail: "a; b", suspect });
    const failing = { name: "t", outcome: "fail", message: "boom" };
    assert.deepEqual(testItem(failing), { label: "$(error) t", detail: "boom", test: failing });
    assert.equal(testItem({ name: "t", outcome: null, message: null }).detail, undefined);
});
