// From the key press to the new ranking on the screen, on the largest of the shared bugs.
import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { settled } from './browser.mjs';
import { imported, serve } from './servers.mjs';

const LARGEST = 'defects4j/human-all/Time/Time-2.json.zst';
const PRESSES = 10;

export async function times(world) {
  const input = world.data && join(world.data, LARGEST);
  if (!input || !existsSync(input)) return { skipped: `there is no ${LARGEST} below --data` };
  const server = await serve(world, imported(world, input, 'largest.fdc'), '--start', 'labelled');
  const page = await world.browser.open(server.address);
  const all = [];
  const answering = [];
  const before = loadavg()[0];
  for (let press = 0; press < PRESSES; press += 1) {
    await settled(page);
    await page.waitForTimeout(300);
    // Both ends in the page's own clock: when the key went down, and after the frame was painted.
    await page.evaluate(() => {
      window.measured = new Promise((done) => {
        let pressed;
        addEventListener('keydown', (event) => { pressed = event.timeStamp; }, { once: true, capture: true });
        const observer = new MutationObserver(() => {
          observer.disconnect();
          const changed = performance.now() - pressed;
          requestAnimationFrame(() => setTimeout(() => done({ changed, painted: performance.now() - pressed })));
        });
        observer.observe(document.getElementById('ranking'), { attributes: true, attributeFilter: ['data-state'] });
      });
    });
    await page.keyboard.press('p');
    const { changed, painted } = await page.evaluate(() => window.measured);
    all.push(painted);
    answering.push(changed);
  }
  server.child.kill('SIGINT');
  const round = (value) => Number(value.toFixed(1));
  const median = (values) => round([...values].sort((a, b) => a - b).slice(values.length / 2 - 1, values.length / 2 + 1).reduce((a, b) => a + b) / 2);
  return {
    case: 'Time-2', milliseconds: all.map(round), median: median(all), worst: round(Math.max(...all)),
    before_painting: { median: median(answering), worst: round(Math.max(...answering)) }, load_before: round(before),
  };
}
