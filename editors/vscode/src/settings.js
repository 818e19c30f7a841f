"use strict";
// From the settings of a workspace to command lines and options of the server. No VS Code in here.

const path = require("node:path");

/** What `fdc lsp` is started with. */
function serverCommand(settings) {
    return { command: settings.program || "fdc", args: ["lsp"] };
}

/** What the server is told at its start; `draws`: lists are drawn here. */
function serverOptions(settings) {
    const options = { draws: true };
    if (settings.case) options.case = settings.case;
    if (settings.source) options.source = settings.source;
    if (Number.isInteger(settings.suspects) && settings.suspects >= 0) options.suspects = settings.suspects;
    return options;
}

/** The words of `fdc collect` for a workspace folder. */
function collectWords(settings, folder) {
    const given = (settings.collectArguments || []).map(String);
    const words = ["collect", ...given];
    const before = given.includes("--") ? words.indexOf("--") : words.length;
    const own = words.slice(0, before);
    const more = [];
    if (!own.some((word) => word === "--root" || word.startsWith("--root="))) more.push("--root", folder);
    if (!own.some((word) => word === "-o" || word === "--out" || word.startsWith("--out=")))
        more.push("-o", path.resolve(folder, settings.case || "case.fdc"));
    return [...own, ...more, ...words.slice(before)];
}

module.exports = { serverCommand, serverOptions, collectWords };
