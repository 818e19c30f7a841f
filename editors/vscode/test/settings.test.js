"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const path = require("node:path");
const { serverCommand, serverOptions, collectWords } = require("../src/settings.js");

test("the server is told what is set", () => {
    assert.deepEqual(serverCommand({ program: "" }), { command: "fdc", args: ["lsp"] });
    assert.deepEqual(serverCommand({ program: "/x/fdc" }), { command: "/x/fdc", args: ["lsp"] });
    assert.deepEqual(serverOptions({ case: "c.fdc", source: "", suspects: 3 }), { draws: true, case: "c.fdc", suspects: 3 });
    assert.deepEqual(serverOptions({ case: "", suspects: -1 }), { draws: true });
});

test("collecting writes the case that is shown, unless the arguments say otherwise", () => {
    const folder = path.resolve("/project");
    const own = path.resolve("/project/case.fdc");
    assert.deepEqual(collectWords({}, folder), ["collect", "--root", folder, "-o", own]);
    const given = { case: "c.fdc", collectArguments: ["pytest", "--root", "lib", "--", "-o", "x"] };
    const words = ["collect", "pytest", "--root", "lib", "-o", path.resolve("/project/c.fdc"), "--", "-o", "x"];
    assert.deepEqual(collectWords(given, folder), words);
    assert.deepEqual(collectWords({ collectArguments: ["--out=z", "--root=."] }, folder), ["collect", "--out=z", "--root=."]);
});
