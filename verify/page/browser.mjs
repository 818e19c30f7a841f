// Headless Chromium, with an ear for errors and an eye for accessibility.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
  // A name of somebody else's that leads here: DNS rebinding.
  '--host-resolver-rules=MAP rebound.example 127.0.0.1',
];

export class Browser {
  static async launch(tools, expect, axe) {
    const require = createRequire(join(tools, 'package.json'));
    const { chromium } = require('playwright-core');
    const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
    const browser = new Browser();
    browser.own = await chromium.launch({ executablePath, args: FLAGS });
    browser.version = browser.own.version();
    browser.axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
    browser.expect = expect;
    browser.states = axe;
    return browser;
  }

  /** A tab of its own, with nothing in its store; `faults` collects what it complains about. */
  async tab(options = {}) {
    const context = await this.own.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    const page = await context.newPage();
    page.faults = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) page.faults.push(message.text());
    });
    page.on('pageerror', (error) => page.faults.push(error.message));
    return page;
  }

  /** A tab with the page of a server, drawn to the end. */
  async open(address, options) {
    const page = await this.tab(options);
    await page.goto(address);
    await settled(page);
    return page;
  }

  /** No fault of these kinds in this state. */
  async accessible(page, state) {
    await page.evaluate(this.axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    this.states[state] = violations.length;
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const words = ({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`;
    this.expect(grave.length === 0, `axe-core, ${state}: no serious or critical fault${grave.map((fault) => `; ${words(fault)}`).join('')}`);
    for (const fault of violations.filter((violation) => !grave.includes(violation))) console.log(`     minor: ${words(fault)}`);
  }

  close() {
    return this.own.close();
  }
}

/** Everything that comes later is drawn: source, advice, picture. */
export async function settled(page) {
  await page.waitForSelector('#ranking tbody tr');
  await page.waitForSelector('#picture svg');
  await page.waitForFunction(() => document.querySelector('#source .details') && document.body.dataset.drawn === document.getElementById('ranking').dataset.state);
}

/** The number of the state that is drawn. */
export const state = (page) => page.evaluate(() => Number(document.getElementById('ranking').dataset.state));

/** Waits until another state is drawn than `before`. */
export async function moved(page, before) {
  await page.waitForFunction((old) => Number(document.getElementById('ranking').dataset.state) > old, before);
}
