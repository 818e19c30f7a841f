// What failed: exception, message, calls, and the source of the failing test. With several failing
// tests there is a list to choose from, and a filter when it is long.

/** So many need no filter. */
const FEW = 6;
/** So many of the list are drawn. */
const LISTED = 200;

/** The failing test that is shown, by its name. */
let failedNow = null;
/** What is known of failing tests, by name; it does not change while the page is open. */
const failures = new Map();

const failingTests = (view) => [view.failing, ...(view.also_failing ?? [])];

/** Draws the list; what is shown of a test comes when it is there. */
function drawFailed(view, onCall) {
  for (const failure of view.failures ?? []) failures.set(failure.test, failure);
  const tests = failingTests(view);
  const changed = !tests.includes(failedNow);
  if (changed) failedNow = tests[0];
  by('failed-title').textContent = tests.length > 1 ? `What failed: ${tests.length} tests` : 'What failed';
  by('failed-tests').hidden = tests.length < 2;
  by('failed-filter-box').hidden = tests.length <= FEW;
  by('failed').classList.toggle('several', tests.length > 1);
  drawFailedList(tests, onCall);
  if (changed) showFailure(failedNow, onCall);
}

function drawFailedList(tests, onCall) {
  const wanted = by('failed-filter').value.trim().toLowerCase();
  const known = (test) => `${test} ${headline(failures.get(test)) ?? ''}`.toLowerCase();
  const found = tests.filter((test) => wanted === '' || known(test).includes(wanted));
  const key = JSON.stringify([found, failedNow]);
  if (by('failed-list').dataset.key === key) return;
  by('failed-list').dataset.key = key;
  const row = (test) => {
    const choose = make(
      'button',
      { type: 'button', className: 'failing-test', title: plain(test), 'aria-pressed': String(test === failedNow), onclick: () => {
        failedNow = test;
        drawFailedList(tests, onCall);
        by('failed-list').querySelector('[aria-pressed=true]')?.focus();
        showFailure(test, onCall);
      } },
      name(testName(test), { className: 'method' }),
      make('span', { className: 'soft', textContent: plain(headline(failures.get(test)) ?? '') }),
    );
    return make('li', {}, choose);
  };
  fill(by('failed-list'), ...found.slice(0, LISTED).map(row));
  const hidden = found.length - LISTED;
  const few = found.length < tests.length ? `${found.length} of ${tests.length}` : '';
  by('failed-count').textContent = hidden > 0 ? `and ${hidden} more` : few;
}

/** Exception and message in a line. */
function headline(failure) {
  if (!failure) return null;
  const exception = failure.exception?.split(/[.:]/).at(-1);
  const message = failure.message?.trim().split('\n')[0];
  if (!exception || message?.startsWith(exception)) return message ?? null;
  return message ? `${exception}: ${message}` : exception;
}

/** What is known of a failing test; its source as soon as that is there. */
async function showFailure(test, onCall) {
  fill(by('failed-source'));
  try {
    if (!failures.has(test)) failures.set(test, (await look('api/failure', { name: test })).value);
    if (failedNow !== test) return;
    drawFailure(failures.get(test), onCall);
    const { value } = await look('api/test', { name: test });
    if (failedNow === test) drawFailedSource(value);
  } catch (error) {
    missed(error);
  }
}

function drawFailure(failure, onCall) {
  const { test, exception, message, frames = [] } = failure;
  const own = exception?.split(/[.:]/).at(-1);
  // pytest has the exception in the message.
  const said = own && message?.startsWith(`${own}: `) ? message.slice(own.length + 2) : message;
  const known = exception || message || frames.length;
  const call = (frame) => {
    const spot = `${fileName(frame.path ?? frame.place)}${frame.line ? `:${frame.line}` : ''}`;
    const place = frame.path
      ? make('button', { type: 'button', className: 'link', title: plain(`Show ${frame.path}`), onclick: () => onCall(frame) }, name(spot))
      : name(spot, { className: 'soft', title: plain(frame.place) });
    return make('li', {}, frame.function ? make('span', {}, name(frame.function, { className: 'method' }), ' ') : null, place, frame.path ? editorLink(frame.path, frame.line) : null);
  };
  fill(
    by('failure'),
    make('p', { className: 'test-name' }, name(by('failed-tests').hidden ? test : test.slice(0, test.length - testName(test).length))),
    exception ? make('p', { className: 'exception' }, name(exception)) : null,
    said ? make('div', { className: 'scroll message', tabIndex: 0, role: 'region', 'aria-label': 'Message' }, make('pre', { textContent: said.split('\n').map(plain).join('\n').trimEnd() })) : null,
    frames.length ? make('ol', { className: 'calls', tabIndex: 0, 'aria-label': 'Calls, the innermost first' }, ...frames.map(call)) : null,
    known ? null : make('p', { className: 'soft', textContent: 'The case does not say how it failed; cases of `fdc collect` do.' }),
  );
}

/** The failing test's source; the line where it failed is in view. */
function drawFailedSource(listing) {
  if (!listing.path) {
    const text = 'The source of the test is not found below the source folder; `fdc serve --source FOLDER` says where the project is.';
    fill(by('failed-source'), make('p', { className: 'soft', textContent: text }));
    return;
  }
  const scroller = make('div', { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Source of the failing test' }, codeTable(listing));
  fill(by('failed-source'), located(listing.path, listing.failed_at ?? listing.first), newer(listing), scroller);
  const row = scroller.querySelector('.failed-line');
  if (row) intoView(scroller, row, 'center');
}

const newer = (listing) => (listing.newer ? make('p', { className: 'remark', textContent: 'This file was changed after the case was written.' }) : null);

/** The template of an editor's address and the project's root; none if there are no links. */
let editor = null;

/** A path with a link that opens it in the editor. */
function located(path, line) {
  return make('p', { className: 'soft path' }, name(line ? `${path}:${line}` : path), editorLink(path, line));
}

function editorLink(path, line) {
  if (!editor) return null;
  const address = editor.template.replaceAll('{path}', encodeURI(`${editor.root}/${path}`).replace(/[?#]/g, encodeURIComponent)).replaceAll('{line}', String(line ?? 1));
  return make('a', { className: 'editor', href: address, 'aria-label': `edit ${plain(path)}`, title: 'Open in the editor' }, 'edit');
}
