// Uses the page of `fdc serve` as a person would, and as a stranger would like to.
//
//   node check.mjs FDC TOOLS [--shots FOLDER] [--data FOLDER]
//
// FDC is the program, TOOLS the folder that `verify/page/tools` printed. --data holds the shared
// bugs, the largest of which is timed; --shots writes the pictures of the manual. The last line
// printed is a JSON object; exits with 1 if anything is not as it should be.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Browser } from './browser.mjs';
import { labels } from './person.mjs';
import { shots } from './shots.mjs';
import { times } from './speed.mjs';
import { intrudes } from './stranger.mjs';

const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args.splice(args.indexOf(name), 2)[1] : null);
const shotsFolder = option('--shots');
const data = option('--data');
if (args.length !== 2) {
  console.error('usage: node check.mjs FDC TOOLS [--shots FOLDER] [--data FOLDER]');
  process.exit(2);
}
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = mkdtempSync(join(tmpdir(), 'fdc-page-'));
const failures = [];
let checks = 0;
const expect = (good, what) => {
  checks += 1;
  console.log(`${good ? 'ok  ' : 'FAIL'} ${what}`);
  if (!good) failures.push(what);
};
const world = { fdc: resolve(args[0]), root, folder, data, expect, axe: {} };
world.browser = await Browser.launch(resolve(args[1]), expect, world.axe);
const found = { chromium: world.browser.version };
try {
  if (shotsFolder) {
    await shots(world, resolve(shotsFolder));
  } else {
    await labels(world);
    await intrudes(world);
    found.key_to_ranking = await times(world);
  }
} catch (error) {
  expect(false, `the check itself: ${error.stack}`);
} finally {
  await world.browser.close();
  for (const child of world.children ?? []) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
console.log(JSON.stringify({ checks, failures, axe_states: world.axe, ...found, load: loadavg().map((load) => Number(load.toFixed(2))) }));
process.exit(failures.length ? 1 : 0);
