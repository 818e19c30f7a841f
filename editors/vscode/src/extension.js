"use strict";
// Starts `fdc lsp`, and puts what it says into lists, the test view and VS Code's own coverage.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { serverCommand, serverOptions, collectWords } = require("./settings.js");
const { treeOf, testsBelow, filesOf, addedUp, suspectItem, testItem } = require("./tree.js");

let client;

async function activate(context) {
    const controller = vscode.tests.createTestController("fdc", "fdc: tests of the case");
    const view = new CaseView(controller);
    context.subscriptions.push(controller);
    const command = (name, run) => context.subscriptions.push(vscode.commands.registerCommand(name, run));
    command("fdc.pickSuspect", () => vscode.commands.executeCommand("fdc.showSuspects"));
    command("fdc.openNextTest", () => vscode.commands.executeCommand("fdc.nextTest"));
    command("fdc.collect", collect);
    command("fdc.restart", async () => {
        await stop();
        await start(view);
    });
    context.subscriptions.push(
        vscode.workspace.onDidChangeConfiguration(async (change) => {
            if (change.affectsConfiguration("fdc")) await vscode.commands.executeCommand("fdc.restart");
        }),
    );
    await start(view);
}

async function deactivate() {
    await stop();
}

/** The workspace folder whose case is shown. */
function folder() {
    return (vscode.workspace.workspaceFolders || [])[0];
}

function settings() {
    const own = vscode.workspace.getConfiguration("fdc", folder());
    const names = ["program", "case", "source", "suspects", "collectArguments"];
    return Object.fromEntries(names.map((name) => [name, own.get(name)]));
}

async function start(view) {
    if (!folder()) return;
    const { command, args } = serverCommand(settings());
    const run = { command, args, options: { cwd: folder().uri.fsPath } };
    client = new LanguageClient("fdc", "fdc", { run, debug: run }, {
        documentSelector: [{ scheme: "file" }],
        workspaceFolder: folder(),
        initializationOptions: serverOptions(settings()),
        middleware: { executeCommand: drawn },
    });
    view.client = client;
    client.onNotification("fdc/caseChanged", () => view.load());
    try {
        await client.start();
    } catch (error) {
        client = view.client = undefined;
        const set = "Open settings";
        const chosen = await vscode.window.showErrorMessage(`fdc: \`${command} lsp\` does not start: ${error.message}`, set);
        if (chosen === set) await vscode.commands.executeCommand("workbench.action.openSettings", "fdc.program");
    }
}

async function stop() {
    const old = client;
    client = undefined;
    if (old) await old.dispose();
}

/** The server's commands, with their answers as lists or open files. */
async function drawn(command, args, next) {
    const answer = await next(command, args);
    if (command === "fdc.showTests" && answer) await pick(answer.title, answer.tests.map(testItem), (item) => item.test);
    if (command === "fdc.showSuspects") {
        if (answer.length === 0) vscode.window.showInformationMessage("fdc: no test fails, so nothing is suspected");
        else await pick("Suspects", answer.map(suspectItem), (item) => item.suspect);
    }
    if (command === "fdc.nextTest") {
        if (!answer) vscode.window.showInformationMessage("fdc: there is no test to look at next");
        else {
            await open(answer.test);
            vscode.window.showInformationMessage(`fdc: next test to look at: ${answer.test.name}: ${answer.why}`);
        }
    }
    return answer;
}

async function pick(title, items, place) {
    const chosen = await vscode.window.showQuickPick(items, { title, matchOnDescription: true, matchOnDetail: true });
    if (chosen) await open(place(chosen));
}

async function open({ uri, line }) {
    if (!uri) return;
    const start = new vscode.Position(line || 0, 0);
    await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection: new vscode.Range(start, start) });
}

/** `fdc collect` in a terminal; the server sees the new case by itself. */
async function collect() {
    const own = folder();
    if (!own) return;
    const { program } = settings();
    const words = collectWords(settings(), own.uri.fsPath);
    const execution = new vscode.ProcessExecution(program || "fdc", words, { cwd: own.uri.fsPath });
    const task = new vscode.Task({ type: "fdc", task: "collect" }, own, "collect", "fdc", execution);
    await vscode.tasks.executeTask(task);
}

/** The tests of the case in the test view, with their outcomes and what each of them runs. */
class CaseView {
    constructor(controller) {
        this.controller = controller;
        /** The server that is asked; none while it does not run. */
        this.client = undefined;
        this.tests = [];
        this.items = new Map();
        this.numbers = new WeakMap();
        controller.refreshHandler = () => this.load();
        const { Coverage, Run } = vscode.TestRunProfileKind;
        controller.createRunProfile("Outcomes in the case (nothing is run)", Run, (request) => this.show(request), true);
        const coverage = controller.createRunProfile("Coverage in the case (nothing is run)", Coverage,
            (request) => this.show(request, true), true);
        coverage.loadDetailedCoverage = (run, file) => this.details(file, file.only);
        coverage.loadDetailedCoverageForTest = (run, file, item) => this.details(file, [item]);
    }

    /** The case has changed. */
    async load() {
        if (!this.client) return;
        const { tests } = await this.client.sendRequest("fdc/tests");
        this.tests = tests;
        this.items.clear();
        this.controller.items.replace(treeOf(tests).map((node) => this.item(node)));
        this.show(new vscode.TestRunRequest());
    }

    item(node) {
        const uri = node.test && node.test.uri ? vscode.Uri.parse(node.test.uri) : undefined;
        const item = this.controller.createTestItem(node.id, node.label, uri);
        if (node.test) {
            if (node.test.line !== null) item.range = new vscode.Range(node.test.line, 0, node.test.line, 0);
            if (node.test.flaky) item.description = "flaky";
            this.items.set(node.test.name, item);
        }
        item.children.replace(node.children.map((child) => this.item(child)));
        this.numbers.set(item, node);
        return item;
    }

    /** The tests of a request, by name. */
    wanted(request) {
        const below = (items) => testsBelow(items.map((item) => this.numbers.get(item)).filter(Boolean));
        const left = new Set(below(request.exclude || []).map((test) => test.name));
        const all = request.include ? below(request.include) : this.tests;
        return all.filter((test) => !left.has(test.name));
    }

    /** Outcomes as the case has them and, if asked for, coverage. */
    async show(request, withCoverage = false) {
        const run = this.controller.createTestRun(request, "case", false);
        const wanted = this.wanted(request);
        for (const test of wanted) {
            const item = this.items.get(test.name);
            if (test.outcome === "pass") run.passed(item);
            else if (test.outcome === "fail") run.failed(item, new vscode.TestMessage(test.message || "failed"));
            else run.skipped(item);
        }
        if (withCoverage && this.client) {
            const number = new Map(this.tests.map((test, index) => [test.name, index]));
            const files = await this.client.sendRequest("fdc/coverage");
            for (const file of filesOf(files, wanted.map((test) => number.get(test.name)))) {
                const tests = file.tests.map((index) => this.items.get(this.tests[index].name));
                // Of a part of the tests, what they cover is known once their lines are.
                const covered = wanted.length === this.tests.length ? file.covered : await this.coveredBy(file.uri, tests);
                const count = new vscode.TestCoverageCount(covered, file.lines);
                const only = wanted.length === this.tests.length ? undefined : tests;
                run.addCoverage(new CaseCoverage(vscode.Uri.parse(file.uri), count, tests, only));
            }
        }
        run.end();
    }

    async coveredBy(uri, items) {
        const lines = await this.lines(uri, items);
        return lines.filter((line) => line.tests > 0).length;
    }

    /** The lines of a file as they stand now, with how many of these tests run them; of all without any. */
    async lines(uri, items) {
        if (!this.client) return [];
        const textDocument = { uri };
        if (!items) return (await this.client.sendRequest("fdc/lines", { textDocument })) || [];
        const names = items.map((item) => this.numbers.get(item)).filter(Boolean).flatMap((node) => testsBelow([node]));
        const ask = ({ name }) => this.client.sendRequest("fdc/lines", { textDocument, test: name });
        return addedUp((await Promise.all(names.map(ask))).map((lines) => lines || []));
    }

    async details(file, items) {
        const lines = await this.lines(file.uri.toString(), items);
        return lines.map(({ line, tests }) => new vscode.StatementCoverage(tests, new vscode.Position(line, 0)));
    }
}

/** What the case knows of a file; `only` these tests, if not all of them were asked for. */
class CaseCoverage extends vscode.FileCoverage {
    constructor(uri, count, tests, only) {
        super(uri, count);
        this.includesTests = tests;
        this.only = only;
    }
}

module.exports = { activate, deactivate };
