"use strict";
// The tests of a case as a tree, and coverage as numbers. No VS Code in here.

/**
 * Where a test stands in the tree: what it is in, from the outside in, and its own label.
 * `tests/test_cart.py::TestCart::test_add[1]`, `org.x.CartTest#add(int)`, `till::tests::adds`,
 * `shop/TestAdd/empty`.
 */
function placeOf(name) {
    const python = /^(.*?\.py)::(.*)$/s.exec(name);
    if (python) {
        // A parameter may hold anything, `::` too.
        const open = python[2].indexOf("[");
        const head = open < 0 ? python[2] : python[2].slice(0, open);
        const parts = head.split("::");
        const label = parts.pop() + (open < 0 ? "" : python[2].slice(open));
        return { groups: [python[1], ...parts], label };
    }
    const java = /^([^#\s/]+)#(.*)$/s.exec(name);
    if (java) return { groups: [java[1]], label: java[2] };
    const rust = name.split("::");
    if (rust.length > 1) return { groups: [rust.slice(0, -1).join("::")], label: rust[rust.length - 1] };
    const go = /^(.*)\/((?:Test|Example|Fuzz)[^/]*(?:\/.*)?)$/s.exec(name);
    if (go) return { groups: [go[1]], label: go[2] };
    return { groups: [], label: name };
}

/** Nodes of a tree: `{ id, label, test?, children }`, in the order of the tests. */
function treeOf(tests) {
    const root = { id: "", label: "", children: new Map() };
    for (const test of tests) {
        const { groups, label } = placeOf(test.name);
        let node = root;
        for (const group of groups) {
            const id = `${node.id}/${group}`;
            if (!node.children.has(id)) node.children.set(id, { id, label: group, children: new Map() });
            node = node.children.get(id);
        }
        const id = `test:${test.name}`;
        node.children.set(id, { id, label, test, children: new Map() });
    }
    const listed = (node) => ({ ...node, children: [...node.children.values()].map(listed) });
    return listed(root).children;
}

/** All tests at or below nodes. */
function testsBelow(nodes) {
    return nodes.flatMap((node) => [...(node.test ? [node.test] : []), ...testsBelow(node.children)]);
}

/** Of the files of a case, those that one of the tests (by their numbers) runs, with those tests. */
function filesOf(files, wanted) {
    const set = new Set(wanted);
    return files
        .filter((file) => file.uri)
        .map((file) => ({ ...file, tests: file.tests.filter((test) => set.has(test)) }))
        .filter((file) => file.tests.length > 0);
}

/** The counts of lines for several tests: each line with how many of them run it. */
function addedUp(lists) {
    const counts = new Map();
    for (const lines of lists) {
        for (const { line, tests } of lines) counts.set(line, (counts.get(line) || 0) + tests);
    }
    return [...counts].sort((a, b) => a[0] - b[0]).map(([line, tests]) => ({ line, tests }));
}

/** A suspect as a line of a list. */
function suspectItem(suspect) {
    return {
        label: `${suspect.rank}. ${suspect.method}`,
        description: suspect.score,
        detail: suspect.why.join("; "),
        suspect,
    };
}

/** A test as a line of a list. */
function testItem(test) {
    const icon = test.outcome === "fail" ? "$(error)" : test.outcome === "pass" ? "$(pass)" : "$(question)";
    return { label: `${icon} ${test.name}`, detail: test.message || undefined, test };
}

module.exports = { placeOf, treeOf, testsBelow, filesOf, addedUp, suspectItem, testItem };
