// Opens a report in headless Chromium and uses it as a reader would.
//
//   node check.mjs PAGE.html [--shots DIR] [--axe axe.min.js]
//
// Exits with 1 on a console error, a request to anywhere, a table that does not sort (by click and
// by keyboard), a link that leads nowhere, missing content, or sideways scrolling on a narrow screen.
// Needs Chromium (CHROMIUM, default /usr/bin/chromium) and nothing from npm: it speaks the DevTools
// protocol over a pipe. --shots writes screenshots: light, dark, narrow, print, and the figures.
// --axe runs axe-core, light, dark and narrow; serious and critical faults fail.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args.splice(args.indexOf(name), 2)[1] : null);
const shots = option('--shots');
const axe = option('--axe');
if (args.length !== 1 || !existsSync(args[0])) {
  console.error('usage: node check.mjs PAGE.html [--shots DIR] [--axe axe.min.js]');
  process.exit(2);
}
const address = pathToFileURL(resolve(args[0])).href;
const failures = [];
const expect = (good, what) => {
  console.log(`${good ? 'ok  ' : 'FAIL'} ${what}`);
  if (!good) failures.push(what);
};

const browser = await launch();
try {
  await check(browser);
} catch (error) {
  expect(false, `the check itself: ${error.stack}`);
} finally {
  await browser.close();
}
console.log(failures.length ? `${failures.length} failed` : 'all good');
process.exit(failures.length ? 1 : 0);

async function check({ send, events }) {
  const target = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { ...target, flatten: true });
  const page = (method, params) => send(method, params, sessionId);
  const evaluate = async (expression) => {
    const answer = await page('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (answer.exceptionDetails) throw new Error(JSON.stringify(answer.exceptionDetails));
    return answer.result.value;
  };
  const screen = (width, height) => page('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  const scheme = (value, media = '') => page('Emulation.setEmulatedMedia', { media, features: [{ name: 'prefers-color-scheme', value }] });
  for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'Security']) await page(`${domain}.enable`);
  await screen(1100, 900);
  await scheme('light');
  const loaded = events.next('Page.loadEventFired');
  await page('Page.navigate', { url: address });
  await loaded;

  // Content.
  expect((await evaluate('document.title')).length > 0, 'has a title');
  expect(await evaluate(`document.querySelectorAll('h1').length === 1`), 'has one main heading');
  expect(await evaluate(`[...document.querySelectorAll('nav a')].every(a => document.querySelector(a.getAttribute('href')))`), 'every entry of the table of contents leads somewhere');
  expect(await evaluate(`document.querySelectorAll('section').length === document.querySelectorAll('nav a').length`), 'every section is in the table of contents');
  expect(await evaluate(`document.querySelectorAll('table.sortable, figure').length > 0`), 'has a table or a figure');
  expect(await evaluate(`[...document.querySelectorAll('figure svg')].every(s => (s.getAttribute('role') === 'img' || s.querySelector('a[href]')) && s.querySelector('title') && s.querySelector('desc').textContent && s.getBoundingClientRect().width > 300)`), 'every figure is drawn and described');
  expect(await evaluate(`document.querySelectorAll('script').length === 1 && document.querySelectorAll('[onclick],[onload],[onerror],[style],iframe,img,object,embed').length === 0`), 'no script, style or frame but its own');
  expect(await evaluate(`getComputedStyle(document.querySelector('main')).maxWidth !== 'none'`), 'its style is applied under its own policy');
  expect(await evaluate(`new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size === document.querySelectorAll('[id]').length`), 'ids are unique');

  expect(await evaluate(`[...document.querySelectorAll('a')].every(a => document.getElementById(a.getAttribute('href').slice(1)))`), 'every link leads to a place on the page');
  // A picture whose parts are links is open to keyboards, and its parts have names.
  expect(await evaluate(`[...document.querySelectorAll('svg a')].every(a => { a.focus(); return document.activeElement === a && a.getAttribute('aria-label') && getComputedStyle(a.querySelector('rect')).stroke !== 'none'; })`), 'every part of a picture that is a link takes the focus, shows it and has a name');

  // Sorting, every column of every table, twice.
  const tables = await evaluate(`document.querySelectorAll('table.sortable').length`);
  for (let t = 0; t < tables; t++) {
    const columns = await evaluate(`document.querySelectorAll('table.sortable')[${t}].tHead.rows[0].cells.length`);
    for (let c = 0; c < columns; c++) {
      for (const way of ['click', 'keyboard']) {
        const before = await evaluate(state(t, c));
        if (way === 'click') await click(page, evaluate, t, c);
        else await press(page, evaluate, t, c);
        const after = await evaluate(state(t, c));
        expect(isSorted(before, after), `table ${t + 1}, column ${c + 1}: ${way} sorts (${after.order})`);
      }
    }
  }
  if (tables) expect((await evaluate(`document.getElementById('live').textContent`)).startsWith('Sorted by'), 'the new order is announced');

  // Light, dark, narrow, print.
  const colours = `[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color].join()`;
  const light = await evaluate(colours);
  await shoot(page, evaluate, 'light');
  await accessible(evaluate, 'light');
  await scheme('dark');
  expect((await evaluate(colours)) !== light, 'dark differs from light');
  await shoot(page, evaluate, 'dark');
  await accessible(evaluate, 'dark');
  await scheme('dark', 'print');
  expect((await evaluate(colours)) === light, 'print is light');
  if (shots) {
    const { data } = await page('Page.printToPDF', { printBackground: true });
    writeFileSync(join(shots, 'print.pdf'), Buffer.from(data, 'base64'));
  }
  await scheme('light');
  await screen(390, 800);
  expect(await evaluate('document.documentElement.scrollWidth <= 390'), 'a narrow screen needs no sideways scrolling');
  await shoot(page, evaluate, 'narrow');
  await accessible(evaluate, 'narrow');

  // What went wrong in the meantime.
  const said = events.seen.filter(({ method, params }) =>
    method === 'Runtime.exceptionThrown'
    || (method === 'Log.entryAdded' && ['error', 'warning'].includes(params.entry.level))
    || (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)));
  expect(said.length === 0, `no errors on the console ${said.map((e) => JSON.stringify(e.params)).join(' ')}`);
  const asked = events.seen.filter(({ method, params }) => method === 'Network.requestWillBeSent'
    && params.request.url !== address && !params.request.url.startsWith('data:'));
  expect(asked.length === 0, `nothing is loaded from elsewhere ${asked.map((e) => e.params.request.url).join(' ')}`);
}

// A table's column as it is now.
function state(t, c) {
  return `(() => {
    const table = document.querySelectorAll('table.sortable')[${t}];
    const head = table.tHead.rows[0].cells[${c}];
    const rows = [...table.tBodies[0].rows];
    return {
      order: head.getAttribute('aria-sort'), first: head.dataset.first, kind: head.dataset.kind,
      marked: table.tHead.querySelectorAll('[aria-sort]').length,
      rows: rows.map(r => r.textContent).sort(),
      values: rows.map(r => head.dataset.kind === 'number' ? (r.cells[${c}].dataset.v ?? null) : r.cells[${c}].textContent),
    };
  })()`;
}

// Not the page's own code: an independent check of the order.
function isSorted(before, after) {
  const other = { ascending: 'descending', descending: 'ascending' };
  const wanted = before.order === before.first ? other[before.first] : before.first;
  if (after.order !== wanted || after.marked !== 1) return false;
  if (JSON.stringify(before.rows) !== JSON.stringify(after.rows)) return false;
  const given = after.values.filter((v) => v !== null);
  if (after.values.slice(0, given.length).includes(null)) return false;
  const compare = after.kind === 'number'
    ? (a, b) => (Number(a) === Number(b) ? 0 : Number(a) - Number(b))
    : (a, b) => a.localeCompare(b, 'en', { numeric: true });
  const sign = after.order === 'ascending' ? 1 : -1;
  return given.every((v, i) => i === 0 || sign * compare(given[i - 1], v) <= 0);
}

async function click(page, evaluate, t, c) {
  const { x, y } = await evaluate(`(() => {
    const button = document.querySelectorAll('table.sortable')[${t}].tHead.rows[0].cells[${c}].querySelector('button');
    button.scrollIntoView({ block: 'center', inline: 'center' });
    const box = button.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  })()`);
  for (const type of ['mousePressed', 'mouseReleased']) {
    await page('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
  }
}

// Reaches the button with Tab from the one before it, or from the region around the table.
async function press(page, evaluate, t, c) {
  const key = async (name, code, text) => {
    const common = { key: name, code: name, windowsVirtualKeyCode: code, nativeVirtualKeyCode: code };
    await page('Input.dispatchKeyEvent', { type: 'keyDown', ...common, ...(text ? { text } : {}) });
    await page('Input.dispatchKeyEvent', { type: 'keyUp', ...common });
  };
  await evaluate(`(() => {
    const table = document.querySelectorAll('table.sortable')[${t}];
    const start = ${c} ? table.tHead.rows[0].cells[${c} - 1].querySelector('button') : table.closest('[tabindex]');
    start.focus();
  })()`);
  await key('Tab', 9);
  await key('Enter', 13, '\r');
}

async function accessible(evaluate, name) {
  if (!axe) return;
  await evaluate(`${readFileSync(axe, 'utf8')}; undefined`);
  const found = await evaluate(`axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) =>
    ({ id, impact, at: nodes.slice(0, 3).map((node) => node.html.slice(0, 200)) })))`);
  const serious = found.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  expect(serious.length === 0, `axe, ${name}: no serious fault ${serious.map((one) => JSON.stringify(one)).join(' ')}`);
  for (const one of found) console.log(`     axe, ${name}: ${one.impact} ${one.id}`);
}

async function shoot(page, evaluate, name) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await evaluate('document.activeElement.blur(); scrollTo(0, 0)');
  const take = async (file, params) => {
    const { data } = await page('Page.captureScreenshot', { captureBeyondViewport: true, ...params });
    writeFileSync(join(shots, `${file}-${name}.png`), Buffer.from(data, 'base64'));
  };
  await take('page', {});
  const boxes = await evaluate(`[...document.querySelectorAll('figure')].map(f => { const { x, y, width, height } = f.getBoundingClientRect(); return { x, y, width, height, scale: 1 }; })`);
  for (const [index, clip] of boxes.entries()) await take(`figure-${index + 1}`, { clip });
}

// Chromium with the DevTools protocol on file descriptors 3 (to it) and 4 (from it).
async function launch() {
  const profile = mkdtempSync(join(tmpdir(), 'fdc-check-'));
  const child = spawn(process.env.CHROMIUM ?? '/usr/bin/chromium', [
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--disable-dev-shm-usage', '--hide-scrollbars', '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
  ], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const waiting = new Map();
  const listeners = [];
  const seen = [];
  const fail = (why) => {
    console.error(`FAIL Chromium: ${why}`);
    process.exit(1);
  };
  let closing = false;
  child.on('error', (error) => fail(error.message));
  child.on('exit', (code) => closing || fail(`ended early with code ${code}`));
  const timer = setTimeout(() => fail('no answer within ten minutes'), 600_000);
  let rest = '';
  child.stdio[4].setEncoding('utf8').on('data', (text) => {
    const parts = (rest + text).split('\0');
    rest = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      if (message.id) {
        const { done, failed } = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.error) failed(new Error(message.error.message));
        else done(message.result);
      } else {
        seen.push(message);
        for (const listener of listeners) listener(message);
      }
    }
  });
  let last = 0;
  const send = (method, params = {}, sessionId = undefined) => new Promise((done, failed) => {
    waiting.set(++last, { done, failed });
    child.stdio[3].write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
  });
  const next = (method) => new Promise((done) => {
    listeners.push((message) => message.method === method && done(message.params));
  });
  const close = async () => {
    closing = true;
    clearTimeout(timer);
    const ended = new Promise((done) => child.once('exit', done));
    await send('Browser.close').catch(() => {});
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { send, events: { seen, next }, close };
}
