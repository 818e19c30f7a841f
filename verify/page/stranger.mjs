// A page of another origin wants to read or to answer, even one that has learned the token; a name
// that was made to lead here; a case whose names are markup.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settled } from './browser.mjs';
import { imported, serve, stranger } from './servers.mjs';

export async function intrudes(world) {
  await crosses(world);
  await misleads(world);
}

async function crosses(world) {
  const { browser, expect, root } = world;
  const orders = join(root, 'testdata', 'orders');
  const server = await serve(world, imported(world, join(orders, 'orders.json'), 'target.fdc'), '--start', 'labelled');
  const evil = await stranger('<!doctype html><title>evil</title><p>Nothing to see here.</p>');
  const page = await browser.tab();
  await page.goto(evil.address);
  const tried = await page.evaluate(attempts, { origin: server.origin, token: server.token });
  for (const [what, outcome] of Object.entries(tried)) expect(outcome === 'refused', `another origin, ${what}: ${outcome}`);

  // Links and forms lead the whole tab there.
  const address = `${server.origin}/?token=${server.token}`;
  const followed = await Promise.all([page.waitForNavigation(), page.evaluate((to) => location.assign(to), address)]);
  expect(followed[0].status() === 403, 'another origin, a link to the page: refused');
  await page.goto(evil.address);
  const submitted = await Promise.all([page.waitForNavigation(), page.evaluate(({ origin, token }) => {
    const form = document.body.appendChild(document.createElement('form'));
    form.method = 'post';
    form.enctype = 'text/plain';
    form.action = `${origin}/api/do?token=${token}`;
    const input = form.appendChild(document.createElement('input'));
    input.name = '{"do":"answer","verdict":"fail","x":"';
    input.value = '"}';
    form.submit();
  }, { origin: server.origin, token: server.token })]);
  expect(submitted[0].status() === 403, 'another origin, a form: refused');

  const rebound = new URL(address);
  rebound.hostname = 'rebound.example';
  const answer = await page.goto(rebound.href);
  expect(answer.status() === 403 && !(await page.content()).includes('ranking'), 'a name made to lead here is refused');

  const own = await browser.open(address);
  expect((await own.locator('#history li.none').count()) === 1, 'nothing was answered');
  expect(await own.evaluate(() => document.cookie === ''), 'there is no cookie to steal');
  expect((await own.evaluate(() => {
    try {
      document.body.insertAdjacentHTML('beforeend', '<b>x</b>');
      return 'inserted';
    } catch (error) {
      return error.name;
    }
  })) === 'TypeError', 'the browser itself refuses text as markup');
  evil.close();
  server.child.kill('SIGINT');
  await own.context().close();
  await page.context().close();
}

/** Runs in the stranger's page; by attempt, `refused` or what came of it. */
async function attempts({ origin, token }) {
  const found = {};
  const view = `${origin}/api/view`;
  const answer = JSON.stringify({ do: 'answer', verdict: 'fail' });
  const fetched = async (what, path, options) => {
    try {
      const response = await fetch(path, options);
      found[what] = response.type === 'opaque' ? 'refused' : `read ${response.status}`;
    } catch {
      found[what] = 'refused';
    }
  };
  await fetched('reads', `${view}?token=${token}`);
  await fetched('reads with the header', view, { headers: { 'x-fdc-token': token } });
  await fetched('reads blindly', `${view}?token=${token}`, { mode: 'no-cors' });
  await fetched('posts', `${origin}/api/do?token=${token}`, { method: 'POST', body: answer, mode: 'no-cors' });
  await fetched('posts with the header', `${origin}/api/do`, { method: 'POST', body: answer, headers: { 'x-fdc-token': token, 'content-type': 'application/json' } });
  await fetched('posts with credentials', `${origin}/api/do?token=${token}`, { method: 'POST', body: answer, credentials: 'include', headers: { 'content-type': 'text/plain' } });
  const loaded = (what, tag, attribute, path) => new Promise((done) => {
    const element = document.createElement(tag);
    element.onload = () => done((found[what] = 'loaded'));
    element.onerror = () => done((found[what] = 'refused'));
    if (tag === 'link') element.rel = 'stylesheet';
    element[attribute] = `${origin}${path}?token=${token}`;
    document.body.append(element);
  });
  await loaded('runs the script', 'script', 'src', '/page.js');
  await loaded('uses the style', 'link', 'href', '/page.css');
  await loaded('shows the icon', 'img', 'src', '/icon.svg');
  await new Promise((done) => {
    const events = new EventSource(`${origin}/api/events?token=${token}`);
    const end = (how) => () => {
      events.close();
      done((found['listens to events'] = how));
    };
    events.onopen = end('connected');
    events.onerror = end('refused');
  });
  await new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.src = `${origin}/?token=${token}`;
    frame.onload = () => {
      let inside = 'refused';
      try {
        if (frame.contentDocument?.getElementById('ranking')) inside = 'framed';
      } catch {
        // Another origin: nothing to be seen.
      }
      done((found['frames the page'] = inside));
    };
    document.body.append(frame);
  });
  return found;
}

/** Every name of the case is hostile; the page shows them as text. */
async function misleads(world) {
  const { browser, expect, folder } = world;
  const names = [
    '<img src=x onerror="window.pwned=1">', '</script><script>window.pwned=1</script>', '"><svg onload=window.pwned=1>',
    "'-window.pwned=1-'", '{{constructor.constructor("window.pwned=1")()}}', 'javascript:window.pwned=1', '&lt;b&gt;', 'two\nlines\u0007',
    'right\u202eto left\u202c', '漢字 😀', '__proto__', '../../etc/passwd', ' ', 'long'.repeat(200),
  ];
  const methods = names.map((name, n) => `src/${name}.py::${name}${n}`);
  writeFileSync(join(folder, 'hostile.json'), JSON.stringify({
    methods, elements: names.map((_, n) => [n, n + 1]),
    tests: names.map((name, n) => ({ name: `${name}${n}`, ...(n === 0 ? { outcome: 'fail' } : {}) })),
    coverage: names.map((_, n) => (n === 0 ? [0, ...names.slice(1).map(() => 1)] : [n])),
  }));
  const name = imported(world, 'hostile.json', 'hostile.fdc');
  const server = await serve(world, name, '--start', 'labelled', '--who', '<script>window.pwned=1</script>', '--metric', 'split');
  const page = await browser.open(server.address);
  for (const key of ['p', 'f', 's', 'p', 'p']) {
    const before = await page.evaluate(() => document.getElementById('ranking').dataset.state);
    await page.keyboard.press(key);
    await page.waitForFunction((old) => document.getElementById('ranking').dataset.state !== old, before);
    await settled(page);
  }
  for (let n = 0; n < names.length; n += 1) {
    await page.keyboard.press('ArrowDown');
    await page.waitForTimeout(50);
  }
  await page.locator('#picture a').first().click();
  await settled(page);
  const shown = await page.evaluate(() => ({
    pwned: window.pwned, text: document.body.textContent, width: document.documentElement.scrollWidth,
    strange: [...document.querySelectorAll('img, iframe, object, embed, script:not([type=module]), [onerror], [onload], [onclick]')].length,
  }));
  expect(shown.pwned === undefined && shown.strange === 0, 'no name became markup or ran');
  expect(names.slice(0, 6).every((name) => shown.text.includes(name)), 'names are shown as they are');
  expect(shown.text.includes('two\\nlines\\u{7}') && shown.text.includes('right\\u{202e}to left'), 'characters that disguise a name are spelled out');
  expect(shown.width <= 1440, 'a long name does not widen the page');
  await browser.accessible(page, 'hostile names');
  await page.setViewportSize({ width: 360, height: 740 });
  expect((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, 'nor a narrow one');
  expect(page.faults.length === 0, `no error in the console${page.faults.map((fault) => `; ${fault}`).join('')}`);
  server.child.kill('SIGINT');
  await page.context().close();
}
