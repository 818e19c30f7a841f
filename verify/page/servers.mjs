// Programs beside the browser: the server, a session by lines, somebody else's site.
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

/** Makes a case file of any input. */
export function imported({ fdc, folder }, input, name, ...options) {
  execFileSync(fdc, ['import', input, '-o', name, ...options], { cwd: folder });
  return name;
}

/** `fdc serve`; its address, and how to end it. */
export async function serve(world, ...args) {
  const child = begin(world, ['serve', ...args]);
  child.stderr.resume();
  const { value: address } = await lines(child.stdout).next();
  return { address, child, origin: new URL(address).origin, token: new URL(address).searchParams.get('token') };
}

/** `fdc label`, a request and a reply at a time. */
export async function label(world, ...args) {
  const child = begin(world, ['label', ...args]);
  child.stderr.resume();
  const replies = lines(child.stdout);
  const next = async () => JSON.parse((await replies.next()).value);
  const first = await next();
  const ask = (request) => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return next();
  };
  return { first, ask, child };
}

/** A page of another origin on this machine. */
export async function stranger(html) {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(html);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

function begin(world, args) {
  const child = spawn(world.fdc, args, { cwd: world.folder });
  (world.children ??= []).push(child);
  return child;
}

const lines = (stream) => createInterface({ input: stream })[Symbol.asyncIterator]();
