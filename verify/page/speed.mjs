// From the key press to the new ranking on the screen, on the largest of the shared bugs.
import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { settled } from './browser.mjs';
import { imported, serve } from './servers.mjs';

const LARGEST = 'defects4j/human-all/Time/Time-2.json.zst';
/** What a person does, how it begins in the page, how often it is timed. */
const ANSWERS = {
  verdict: { times: 10, event: 'keydown', act: (page) => page.keyboard.press('p') },
  undo: { times: 5, event: 'keydown', act: (page) => page.keyboard.press('u') },
  statement: { times: 5, event: 'click', act: (page) => page.locator('#suspect .say').first().click() },
};

export async function times(world) {
  const input = world.data && join(world.data, LARGEST);
  if (!input || !existsSync(input)) return { skipped: `there is no ${LARGEST} below --data` };
  const server = await serve(world, imported(world, input, 'largest.fdc'), '--start', 'labelled');
  const page = await world.browser.open(server.address);
  const load = round(loadavg()[0]);
  const found = { case: 'Time-2', load_before: load };
  for (const [name, answer] of Object.entries(ANSWERS)) {
    const drawn = [];
    const painted = [];
    for (let time = 0; time < answer.times; time += 1) {
      const took = await timed(page, answer);
      drawn.push(took.drawn);
      painted.push(took.painted);
    }
    found[name] = { milliseconds: painted.map(round), median: median(painted), worst: round(Math.max(...painted)), before_painting: { median: median(drawn), worst: round(Math.max(...drawn)) } };
  }
  server.child.kill('SIGINT');
  return found;
}

/** Both ends in the page's own clock: when the key went down, and after the frame was painted. */
async function timed(page, { event, act }) {
  await settled(page);
  await page.waitForTimeout(300);
  await page.evaluate((begins) => {
    window.measured = new Promise((done) => {
      let begun;
      addEventListener(begins, ({ timeStamp }) => { begun = timeStamp; }, { once: true, capture: true });
      const observer = new MutationObserver(() => {
        observer.disconnect();
        const drawn = performance.now() - begun;
        requestAnimationFrame(() => setTimeout(() => done({ drawn, painted: performance.now() - begun })));
      });
      observer.observe(document.getElementById('ranking'), { attributes: true, attributeFilter: ['data-state'] });
    });
  }, event);
  await act(page);
  return page.evaluate(() => window.measured);
}

const round = (value) => Number(value.toFixed(1));

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return round((sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2);
}
