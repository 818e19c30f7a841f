// A person labels: by keyboard and by buttons, undoes, reloads, in two tabs and beside a terminal.
import { join } from 'node:path';
import { moved, settled, state } from './browser.mjs';
import { imported, label, serve } from './servers.mjs';

const FAULTY = 'tiered_discount';

export async function labels(world) {
  const { browser, expect, root } = world;
  const orders = join(root, 'testdata', 'orders');
  const name = imported(world, join(orders, 'orders.json'), 'orders.fdc', '--outcomes', join(orders, 'pytest.txt'));
  const server = await serve(world, name, '--start', 'labelled', '--source', orders, '--who', 'ann');
  const page = await browser.open(server.address, { colorScheme: 'light' });
  const text = (selector) => page.locator(selector).innerText();
  const standing = () => page.locator('#history li:not(.undone):not(.none)').count();
  const act = async (how) => {
    const before = await state(page);
    await how();
    await moved(page, before);
  };

  expect((await page.title()) === 'orders.fdc · fdc', 'the title names the case');
  expect((await page.locator('h1').count()) === 1, 'one main heading');
  expect((await text('#ranking-lead')).startsWith('One method stands first'), 'one method is first');
  expect((await text('#test-source')).includes('def test_business_abroad'), 'the source of the next test is shown');
  expect((await page.locator('#source tr.q6').count()) > 0, 'the source has hot lines');
  expect((await text('#outlook')).includes('If it passes') && (await text('#outlook')).includes('If it fails'), 'what each answer would do');
  await browser.accessible(page, 'at the start');
  await failed(world, page);

  // Ten answers.
  for (let n = 1; n <= 10; n += 1) {
    const test = await text('#question-test');
    if (n === 5) await act(() => page.keyboard.press('s'));
    else if (n % 2) await act(() => page.keyboard.press('p'));
    else await act(() => page.getByRole('button', { name: 'Pass', exact: true }).click());
    expect((await standing()) === n && (await page.locator('#history li').first().innerText()).includes(test), `answer ${n} is in the history`);
  }
  await settled(page);
  expect((await text('#ranking tbody tr:first-child')).includes(FAULTY), 'after ten the faulty method is first');
  expect((await text('#announcement')).includes(FAULTY), 'the new first suspect is announced');
  expect((await text('#source')).includes('if line.quantity > minimum:'), 'its source is shown');
  await browser.accessible(page, 'after ten answers');

  // Undo: the last, and one by its button.
  await act(() => page.keyboard.press('u'));
  expect((await standing()) === 9, 'u takes the last answer back');
  await act(() => page.locator('#history li:not(.undone)').nth(3).getByRole('button').click());
  expect((await standing()) === 8, 'a button takes its answer back');
  await act(() => page.getByRole('button', { name: 'Fail', exact: true }).click());
  expect((await standing()) === 9, 'a test can fail');
  await act(() => page.getByRole('button', { name: 'Undo last', exact: true }).click());

  // A statement about a suspect.
  await page.keyboard.press('ArrowDown');
  expect((await page.locator('#ranking tr').nth(2).getAttribute('class')) === 'selected', 'the arrow key picks the second suspect');
  await act(() => page.getByRole('button', { name: 'It is fine', exact: true }).click());
  expect((await page.locator('#history li').first().innerText()).includes('is fine'), 'a statement is in the history');
  await page.getByRole('button', { name: 'Wrong', exact: true }).first().focus();
  await act(() => page.keyboard.press('Enter'));
  expect((await page.locator('#history li').first().innerText()).includes('behaved wrongly'), 'so is one about a call');
  await act(() => page.keyboard.press('u'));
  await act(() => page.keyboard.press('u'));

  await lines(world, page);
  await dialog(world, page);
  await others(world, page, server, name);
  await looks(world, page, server);
  expect(page.faults.length === 0, `no error in the console${page.faults.map((fault) => `; ${fault}`).join('')}`);
  await interrupted(world, page, server);
  await gone(world, page, server);
  await known(world, name, orders);
}

/** What failed stands first, its line is in view, and a call leads to the source. */
async function failed({ expect }, page) {
  const text = (selector) => page.locator(selector).innerText();
  expect((await text('.exception')) === 'AssertionError' && (await text('.message')).includes("assert '-€37.74' == '-€40.56'"), 'exception and message of the failing test');
  const inView = await page.locator('#failed-source .failed-line').evaluate((row) => {
    const [line, box] = [row, row.closest('.scroll')].map((element) => element.getBoundingClientRect());
    return line.top >= box.top && line.bottom <= box.bottom && line.right <= box.right + 1;
  });
  expect(inView, 'the line where it failed is in view, whole');
  await page.locator('.calls button').first().click();
  await page.waitForFunction(() => document.querySelector('#source tr.current')?.dataset.line === '161');
  expect(true, 'a call leads to its source');
  await page.locator('#ranking button').first().click();
  await settled(page);
  const tops = await page.evaluate(() => ['failed', 'ranking-title'].map((id) => document.getElementById(id).getBoundingClientRect().top));
  expect(tops[0] < tops[1], 'what failed stands above the suspects');
  await page.setViewportSize({ width: 1024, height: 700 });
  const third = await page.locator('#ranking tbody tr').nth(2).boundingBox();
  expect(third.y + third.height <= 700, `three suspects are above the fold at 1024x700 (${Math.round(third.y + third.height)})`);
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** Every outcome is known: nothing is asked, and the room is used. */
async function known({ browser, expect, ...world }, name, orders) {
  const server = await serve(world, name, '--source', orders);
  const page = await browser.open(server.address, { colorScheme: 'light' });
  expect((await page.locator('#question-title').innerText()) === 'What helps now', 'where nothing is to be asked, it says what helps');
  expect((await page.locator('.verdict').first().isVisible()) === false, 'and shows no buttons for answers');
  for (const [width, colorScheme] of [[1440, 'light'], [1024, 'dark'], [390, 'light'], [390, 'dark']]) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await browser.accessible(page, `nothing to ask, ${width} ${colorScheme}`);
    expect((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${width} pixels are wide enough`);
  }
  expect(page.faults.length === 0, `no error in the console${page.faults.map((fault) => `; ${fault}`).join('')}`);
  server.child.kill('SIGINT');
}

/** Lines by keyboard, the picture by mouse and keyboard. */
async function lines({ expect }, page) {
  await settled(page);
  const details = () => page.locator('#source .details').innerText();
  const before = await details();
  await page.locator('#source .scroll').focus();
  await page.keyboard.press('ArrowDown');
  expect((await details()) !== before, 'the arrow key goes to the next line of the source');
  await page.locator('#source tr.own code').first().hover();
  expect(/score [\d.]+, run by 1 failing test and \d+ passing/.test(await details()), 'pointing at a line shows its details');
  const leaf = page.locator('#picture a').nth(3);
  const label = await leaf.locator('title').textContent();
  await leaf.click();
  await page.waitForFunction((words) => words.includes(document.querySelector('#suspect .method').textContent), label);
  expect(true, 'a method picked in the picture is shown');
}

async function dialog({ browser, expect }, page) {
  const before = await state(page);
  await page.keyboard.press('?');
  expect(await page.locator('#help').isVisible(), '? shows the keys');
  await browser.accessible(page, 'keys shown');
  await page.keyboard.press('p');
  await page.waitForTimeout(300);
  expect((await state(page)) === before, 'keys do nothing while they are shown');
  await page.locator('#keys-on').uncheck();
  await page.keyboard.press('Escape');
  await page.keyboard.press('p');
  await page.waitForTimeout(300);
  expect((await state(page)) === before, 'single keys can be switched off');
  await page.keyboard.press('?');
  await page.locator('#keys-on').check();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
}

/** A reload, another tab, another process. */
async function others(world, page, server, name) {
  const { browser, expect } = world;
  const seen = (tab) => tab.evaluate(() => [document.getElementById('ranking'), document.getElementById('history')].map((e) => e.innerText.replace(/[▲▼]\s*(up|down) from [\d.]+/g, '').replace(/\s+/g, ' ')).join());
  const before = await seen(page);
  await page.reload();
  await settled(page);
  expect((await seen(page)) === before, 'a reload shows the same');
  const second = await browser.open(server.address, { colorScheme: 'light' });
  let was = await state(second);
  await page.keyboard.press('p');
  await moved(second, was);
  await settled(page);
  await settled(second);
  expect((await seen(page)) === (await seen(second)), 'another tab sees the answer');
  was = await state(page);
  const was2 = await state(second);
  const terminal = await label(world, name, '--start', 'labelled', '--who', 'bob');
  await terminal.ask({ do: 'answer', verdict: 'pass' });
  await moved(page, was);
  await moved(second, was2);
  for (const tab of [page, second]) {
    expect((await tab.locator('#history li').first().innerText()).includes('bob'), 'a tab sees the answer of a label session');
  }
  was = await state(page);
  await second.keyboard.press('u');
  await moved(page, was);
  const shown = await terminal.ask({ do: 'show' });
  expect(shown.answers.at(-1).undone, 'the label session sees the undo of a tab');
  await terminal.ask({ do: 'quit' });
  // More tabs than a browser has connections to one server.
  const many = await Promise.all(Array.from({ length: 8 }, () => second.context().newPage()));
  for (const tab of many) {
    await tab.goto(server.address);
    await tab.waitForSelector('#ranking tbody tr');
  }
  was = await state(many[7]);
  await many[0].bringToFront();
  await many[0].keyboard.press('s');
  for (const tab of many) await moved(tab, was);
  expect(true, 'eight more tabs see the answer of the first');
  await second.close();
  was = await state(many[7]);
  await many[3].keyboard.press('u');
  for (const tab of many) await moved(tab, was);
  expect(true, 'when the tab that listens is closed, another listens');
  expect(second.faults.length === 0, `no error in the second tab${second.faults.join('; ')}`);
  await second.context().close();
  await settled(page);
}

/** Narrow and wide, dark and light. */
async function looks({ browser, expect }, page) {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await paper();
  expect(light !== dark, 'the page follows the system to dark');
  await browser.accessible(page, 'dark');
  await page.keyboard.press('t');
  expect((await paper()) === light, 'the theme can be light on a dark system');
  await page.keyboard.press('t');
  expect((await paper()) === dark, 'or dark');
  await page.keyboard.press('t');
  await page.setViewportSize({ width: 360, height: 740 });
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme });
    await browser.accessible(page, `narrow, ${colorScheme}`);
  }
  const wide = await page.evaluate(() => {
    const inside = (element) => element.closest('.scroll') !== null;
    const beyond = [...document.querySelectorAll('body *')].filter((e) => !inside(e) && !e.closest('.unseen, dialog, .jump') && e.getBoundingClientRect().right > 360.5);
    return { width: document.documentElement.scrollWidth, beyond: beyond.map((e) => e.outerHTML.slice(0, 80)) };
  });
  expect(wide.width <= 360 && wide.beyond.length === 0, `360 pixels are wide enough ${JSON.stringify(wide)}`);
  const before = await state(page);
  await page.getByRole('button', { name: 'Pass', exact: true }).click();
  await moved(page, before);
  await page.setViewportSize({ width: 900, height: 900 });
  expect((await page.evaluate(() => document.documentElement.scrollWidth)) <= 900, '900 pixels, too');
  await settled(page);
}

/** The connection is lost for a while: it is said, and afterwards what is shown is true. */
async function interrupted({ expect }, page, server) {
  const trouble = () => page.locator('#trouble').innerText();
  const standing = () => page.locator('#history li:not(.undone):not(.none)').count();
  const connected = () => page.waitForFunction(() => document.getElementById('connection').textContent === 'connected');
  const elsewhere = (what) => fetch(`${server.origin}/api/do`, { method: 'POST', headers: { 'x-fdc-token': server.token, 'content-type': 'application/json' }, body: JSON.stringify(what) });
  const lose = async () => {
    await page.context().setOffline(true);
    // Something to look at that does not come.
    await page.locator('#picture a').nth(1).click();
    await page.waitForSelector('#connection.gone');
  };
  let before = await standing();
  await lose();
  await page.keyboard.press('p');
  expect((await trouble()).startsWith('Not taken'), 'an answer without a connection is said not to be taken');
  await elsewhere({ do: 'undo' });
  await page.context().setOffline(false);
  await connected();
  expect(!(await page.locator('#trouble').isVisible()), 'the page connects again by itself');
  expect((await standing()) === before - 1, 'and shows what happened meanwhile');

  // The reply is lost, then the request.
  before = await standing();
  for (const [arrives, words] of [[true, 'your last answer was stored'], [false, 'Not stored']]) {
    await settled(page);
    await page.route('**/api/do', async (route) => {
      if (route.request().postDataJSON().do !== 'answer') return route.continue();
      if (arrives) await route.fetch();
      return route.abort();
    });
    await page.keyboard.press('p');
    await page.waitForFunction((said) => document.getElementById('announcement').textContent.includes(said), words);
    await page.unroute('**/api/do');
    before += arrives ? 1 : 0;
    expect((await standing()) === before, `an answer ${arrives ? 'whose reply is lost is shown' : 'that is lost is not shown'} as stored`);
    expect((await page.locator('#trouble').isVisible()) === !arrives, `and ${arrives ? 'nothing' : 'something'} is asked for`);
  }
  await settled(page);
}

/** The server is killed: it is said, and no answer is shown as taken. */
async function gone({ browser, expect }, page, server) {
  const history = await page.locator('#history').innerText();
  server.child.kill('SIGKILL');
  await page.waitForSelector('#trouble:not([hidden])');
  expect((await page.locator('#trouble').innerText()).includes('does not answer'), 'a server that is gone is noticed');
  await page.keyboard.press('p');
  await page.getByRole('button', { name: 'Fail', exact: true }).click({ force: true });
  await page.waitForTimeout(500);
  expect((await page.locator('#history').innerText()) === history, 'no answer is shown as taken');
  expect((await page.locator('.verdict').first().getAttribute('aria-disabled')) === 'true', 'verdicts cannot be given');
  await browser.accessible(page, 'server gone');
}
