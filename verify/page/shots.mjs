// The pictures of the manual. With fewer colours they take a third of the space:
// `mogrify -colors 128 -dither None docs/page-*.png docs/report.png`.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { moved, settled, state } from './browser.mjs';
import { imported, serve } from './servers.mjs';

const LOOKS = [
  ['page-light', { colorScheme: 'light', viewport: { width: 1440, height: 1000 } }, { fullPage: true }],
  ['page-dark', { colorScheme: 'dark', viewport: { width: 1440, height: 1000 } }],
  ['page-narrow', { colorScheme: 'light', viewport: { width: 360, height: 740 } }],
];

export async function shots(world, folder) {
  const orders = join(world.root, 'testdata', 'orders');
  const name = imported(world, join(orders, 'orders.json'), 'orders.fdc', '--outcomes', join(orders, 'pytest.txt'));
  const server = await serve(world, name, '--start', 'labelled', '--source', orders, '--who', 'ann');
  const first = await world.browser.open(server.address);
  for (let answer = 0; answer < 3; answer += 1) {
    const before = await state(first);
    await first.keyboard.press('p');
    await moved(first, before);
  }
  for (const [file, options, how] of LOOKS) {
    const page = await world.browser.open(server.address, options);
    await settled(page);
    await page.screenshot({ path: join(folder, `${file}.png`), ...how });
  }
  server.child.kill('SIGINT');
  const report = join(world.folder, 'report.html');
  execFileSync(world.fdc, ['report', name, '--start', 'labelled', '--source', orders, '-o', report], { cwd: world.folder });
  const page = await world.browser.tab({ colorScheme: 'light', viewport: { width: 1000, height: 1250 } });
  await page.goto(`file://${report}`);
  await page.screenshot({ path: join(folder, 'report.png') });
}
