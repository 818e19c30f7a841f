// Building the page. Text from the case goes in by `textContent` alone.

const by = (id) => document.getElementById(id);

/** An element with properties and children; strings become text. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name.includes('-') || name === 'role' || name === 'for') element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined).map((child) => (typeof child === 'number' ? String(child) : child)));
  return element;
}

/** What an element holds from now on. */
function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

// Controls, marks of writing direction, separators, characters without a shape.
const HOSTILE = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** A text with characters that could disguise it spelled out. */
function plain(text) {
  const spelled = (character) => {
    if (character === '\n') return '\\n';
    return `\\u{${character.codePointAt(0).toString(16)}}`;
  };
  return String(text).replace(HOSTILE, spelled);
}

/** A name in its own direction, which does not reach beyond it. */
function name(text, properties = {}) {
  return make('bdi', properties, ...breakable(plain(text)));
}

/** Long names may break after a separator and between the words of a name, nowhere else. */
function breakable(text) {
  const parts = text.split(/(?<=[/_.,:#$(-])(?![/_.,:#$)-])|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  return parts.flatMap((part, index) => (index ? [document.createElement('wbr'), part] : [part]));
}

const lastPart = (text) => text.slice(text.lastIndexOf('.') + 1);

/** A method in two parts: what it is called in its file, and the file. Java's say their class. */
function methodParts(method, file) {
  const java = /^([^#/\s]+)#([^(]+)(\(.*\))?$/.exec(method);
  if (java) {
    const [, whole, own, parameters = ''] = java;
    const simple = lastPart(whole);
    const types = parameters.replace(/[^(),]+/g, (type) => lastPart(type).replaceAll('$', '.')).replaceAll(',', ', ');
    const spoken = simple.replaceAll('$', '.');
    if (own === '<clinit>') return [`static initialiser of ${spoken}`, file];
    if (own === '<init>' || own === simple) return [`new ${spoken}${types}`, file];
    return [`${spoken}.${own}${types}`, file];
  }
  const inside = method.startsWith(file) ? method.slice(file.length).replace(/^(::|[.#$:/])/, '') : '';
  return inside ? [inside, file] : [method, file];
}

/** A path's last part. */
const fileName = (path) => path.slice(path.lastIndexOf('/') + 1);

/** The last part of a test's id: its own name with its parameters. */
function testName(test) {
  const bare = test.search(/[[(]/);
  const at = (bare < 0 ? test : test.slice(0, bare)).search(/[^#:/]*$/);
  return test.slice(at) || test;
}

/** A line of source in its colours: stretches of so many characters, each with its class. */
function code(text, syntax = []) {
  const pieces = [];
  let at = 0;
  for (const [className, length] of syntax) {
    const piece = text.slice(at, at + length);
    at += length;
    pieces.push(className ? make('span', { className, textContent: plain(piece) }) : plain(piece));
  }
  return make('code', {}, ...pieces, plain(text.slice(at)));
}

/** Lines of source, numbered; one of them may be marked as where it failed. */
function codeTable({ lines, syntax, first, failed_at: failedAt }) {
  const rows = lines.map((text, index) => {
    const number = first + index;
    const className = number === failedAt ? 'failed-line' : '';
    const mark = number === failedAt ? make('span', { className: 'unseen', textContent: ' failed here' }) : null;
    return make('tr', { className }, make('td', { className: 'line-number' }, number, mark), make('td', {}, code(text, syntax[index])));
  });
  return make('table', { className: 'code folded', role: 'presentation' }, make('tbody', {}, ...rows));
}

const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** A place: whole, or with a half where a tie shares one. */
const place = (rank) => String(Math.round(rank * 10) / 10);

/** A probability as people read it. */
function percent(probability) {
  const value = 100 * probability;
  if (value >= 99.5) return '> 99 %';
  if (value >= 0.95) return `${value.toFixed(0)} %`;
  return value > 0 ? '< 1 %' : '0 %';
}

/** How likely a suspect is faulty; a formula's score where that is not known. */
const likely = (suspect) => (suspect.probability === undefined ? score(suspect.score) : percent(suspect.probability));

const score = (value) => (value === undefined ? '∞' : value.toFixed(3));

/** A count of tests; parts come from verdicts that are believed in part. */
const amount = (value) => String(Math.round(value * 100) / 100);
