// The page's state and who changes it. An answer is shown as taken only once the server has
// replied, and the reply comes only once the answer is in the case file.

const LATER = 250;
/** An answer that takes longer is shown to be under way; drawing that would delay a quick one. */
const NOTICEABLE = 150;

let view = null;
let state = 0;
/** The suspect looked at; `followsTop` until somebody picks one. */
let selected = null;
let followsTop = true;
/** A suspect beyond those of the ranking, picked in the picture. */
let peeked = null;
/** An answer is under way, and it is shown to be. */
let busy = false;
let waiting = false;
/** The newest state that the server told of. */
let announced = 0;
let connected = false;
/** The next try to reach the server, and how long it waits. */
let retry = null;
let wait = SOONEST;
/** An answer that no reply came to, and the answers that were known before. */
let unsure = null;
let slowWork;
let asked = { test: null, source: null };

function suspectNow() {
  const shown = view?.suspects.find((suspect) => suspect.method === selected);
  return shown ?? (peeked?.method === selected ? peeked : undefined);
}

/** Draws a state: what a person waits for at once, what takes longer afterwards. */
function draw(newView, newState) {
  const before = view && newState !== state ? placesOf(view) : null;
  const fresh = newState !== state;
  view = newView;
  if (fresh) peeked = null;
  state = newState;
  if (fresh && (followsTop || !suspectNow())) {
    selected = view.suspects[0]?.method ?? null;
    followsTop = true;
  }
  const focused = whereFocused();
  drawRanking(view, state, selected, before, select);
  drawQuestion(view);
  drawHistory(view, (id) => say({ do: 'undo', id }, 'Undone'));
  drawDoubts(view);
  drawSuspect(view, suspectNow(), (what) => say(what, 'Taken'));
  drawFailed(view, showCall);
  by('failed').classList.toggle('asked', Boolean(view.next));
  document.querySelector('main').classList.toggle('asks', Boolean(view.next));
  allow();
  focusAgain(focused);
  if (fresh) drawLater();
}

function drawLater() {
  requestAnimationFrame(() => setTimeout(() => {
    loadTest();
    loadSource();
  }));
  clearTimeout(slowWork);
  slowWork = setTimeout(loadSlow, LATER);
}

/** What has the focus, by its place: drawing makes new elements. */
function whereFocused() {
  const active = document.activeElement;
  const part = active?.closest('#history, #ranking, #suspect');
  return part && { part, at: [...part.querySelectorAll('button, select')].indexOf(active) };
}

function focusAgain(focused) {
  if (!focused) return;
  const now = [...focused.part.querySelectorAll('button, select')];
  (now[Math.min(focused.at, now.length - 1)] ?? by('undo-last')).focus({ preventScroll: true });
}

/** The source of a call of a failing test. */
async function showCall(frame) {
  const { file, place, line } = frame;
  asked.source = `call ${place} ${line}`;
  try {
    const { value } = await look('api/source', { file: file ?? place, around: line ?? 1 });
    followsTop = false;
    selected = null;
    drawRanking(view, state, selected, null, select);
    fill(by('suspect'), make('p', { className: 'chosen' }, 'A call of the failing test: ', name(frame.function || place, { className: 'method' })));
    drawSource(value, undefined, (around) => showCall({ ...frame, line: around }), line);
    by('source-title').scrollIntoView({ block: 'nearest' });
  } catch (error) {
    missed(error);
  }
}

/** Buttons work only while an answer can be taken. */
function allow() {
  const able = connected && !waiting && view !== null;
  const buttons = document.querySelectorAll('.verdict, .undo, .say, #undo-last');
  for (const button of buttons) button.setAttribute('aria-disabled', String(!able));
  document.body.classList.toggle('busy', waiting);
  const standing = view?.answers.some((answer) => !answer.undone);
  if (!standing) by('undo-last').setAttribute('aria-disabled', 'true');
}

/** Sends an answer; nothing else can be answered until the reply is drawn. */
async function say(what, done) {
  if (!connected) {
    trouble(`Not taken: ${NO_CONNECTION}`);
    return;
  }
  if (busy || !view) return;
  busy = true;
  const noticed = setTimeout(() => {
    waiting = true;
    allow();
  }, NOTICEABLE);
  const answered = () => {
    clearTimeout(noticed);
    busy = false;
    if (!waiting) return;
    waiting = false;
    allow();
  };
  try {
    const reply = await act(what);
    answered();
    trouble(null);
    if (reply.state >= state) draw(reply.value, reply.state);
    announce(done);
  } catch (error) {
    answered();
    if (error instanceof Refused) {
      trouble(`Not taken: ${error.message}`);
    } else {
      unsure = { what, known: new Set(view.answers.map((answer) => answer.id)) };
      lost();
    }
  }
  if (announced > state) reload('Somebody else answered');
}

function verdict(how) {
  // By name: another tab may have moved on to another test that nobody here has seen.
  if (view?.next && view.runs?.running !== view.next.test) say({ do: 'answer', verdict: how, test: view.next.test }, { pass: 'Passed', fail: 'Failed', skip: 'Skipped' }[how]);
}

function undoLast() {
  const last = view?.answers.filter((answer) => !answer.undone).at(-1);
  if (last) say({ do: 'undo', id: last.id }, 'Undone');
}

/** For those who hear the page. */
function announce(done) {
  const [top] = view.suspects;
  const first = top ? `First suspect: ${plain(top.method)}, ${view.tied > 1 ? `tied with ${view.tied - 1} more` : 'alone'}.` : 'No suspect.';
  const next = view.next ? ` Next test: ${plain(view.next.test)}.` : ' Nothing is left to ask.';
  by('announcement').textContent = `${done}. ${first}${next}`;
}

function trouble(text) {
  by('trouble').textContent = text ? plain(text) : '';
  by('trouble').hidden = !text;
}

async function select(method) {
  if (!view.suspects.some((suspect) => suspect.method === method)) {
    try {
      const { value } = await look('api/suspect', { method });
      peeked = value;
    } catch (error) {
      missed(error);
      return;
    }
  }
  selected = method;
  followsTop = method === view.suspects[0]?.method;
  const inRanking = document.activeElement?.closest('#ranking');
  drawRanking(view, state, selected, null, select);
  if (inRanking) document.querySelector('#ranking tr.selected button')?.focus();
  drawSuspect(view, suspectNow(), (what) => say(what, 'Taken'));
  allow();
  loadSource();
}

function step(direction) {
  const at = view.suspects.findIndex((suspect) => suspect.method === selected);
  const next = view.suspects[Math.min(Math.max(at + direction, 0), view.suspects.length - 1)];
  if (!next) return;
  select(next.method);
  document.querySelector('#ranking tr.selected')?.scrollIntoView({ block: 'nearest' });
}

async function loadTest() {
  const test = view.next?.test;
  if (!test || asked.test === test) return;
  asked.test = test;
  fill(by('test-source'));
  try {
    const { value } = await look('api/test', { name: test });
    if (view.next?.test === test) drawTest(value);
  } catch (error) {
    asked.test = null;
    missed(error);
  }
}

async function loadSource(around) {
  const suspect = suspectNow();
  if (!suspect) {
    fill(by('source'));
    return;
  }
  const middle = around ?? suspect.lines[0] ?? 1;
  const wanted = `${state} ${suspect.method} ${middle}`;
  asked.source = wanted;
  try {
    const { value } = await look('api/source', { file: suspect.file, around: middle });
    if (asked.source === wanted) drawSource(value, suspect, loadSource);
  } catch (error) {
    missed(error);
  }
}

async function loadSlow() {
  const wanted = state;
  try {
    const { value } = await act({ do: 'advice' });
    if (wanted === state) drawAdvice(value);
    if (wanted === state) await drawPicture(select);
    // Everything of this state is on the page.
    document.body.dataset.drawn = wanted;
  } catch (error) {
    missed(error);
  }
}

/** Something to look at did not come. */
function missed(error) {
  if (error instanceof Refused) trouble(error.message);
  else lost();
}

async function reload(done) {
  try {
    const fresh = await look('api/view');
    if (fresh.state >= state || !view) draw(fresh.value, fresh.state);
    if (done) announce(done);
  } catch (error) {
    missed(error);
  }
}

const NO_CONNECTION = 'The server does not answer, so nothing can be taken now; this page tries again by itself. If the server was stopped: start `fdc serve` again and open the address it prints. Every answer shown here is in the case file.';

function lost() {
  if (connected || !retry || unsure) trouble(unsure ? `Whether your last answer was stored is not known yet. ${NO_CONNECTION}` : NO_CONNECTION);
  connected = false;
  by('connection').textContent = 'server gone';
  by('connection').classList.add('gone');
  allow();
  retry ??= setTimeout(tryAgain, wait);
}

/** The state of now, and what became of an answer without a reply. */
async function tryAgain() {
  try {
    await introduce();
    const fresh = await look('api/view');
    retry = null;
    wait = SOONEST;
    back();
    draw(fresh.value, fresh.state);
    drawLater();
    if (!unsure) return;
    const taken = stored(unsure, fresh.value.answers);
    trouble(taken ? null : 'The connection was lost, and your last answer was not stored: give it again.');
    announce(taken ? 'The connection was lost for a while; your last answer was stored' : 'Not stored');
    unsure = null;
  } catch (error) {
    if (error instanceof Refused) trouble(error.message);
    wait = Math.min(2 * wait, LATEST);
    retry = setTimeout(tryAgain, wait);
  }
}

/** Whether an answer is among those of the case, of which some were known before it was given. */
function stored({ what, known }, answers) {
  if (what.do === 'undo') return answers.some((answer) => answer.id === what.id && answer.undone);
  const added = answers.filter((answer) => !known.has(answer.id));
  return added.some((answer) => (what.do === 'answer' ? answer.subject === what.test && answer.verdict === what.verdict : answer.id.startsWith('virtual ')));
}

function back() {
  connected = true;
  by('connection').textContent = 'connected';
  by('connection').classList.remove('gone');
  trouble(null);
  allow();
}

follow(
  (newState) => {
    announced = newState;
    if (newState !== state && !busy) reload(view ? 'Somebody else answered' : null);
  },
  (there) => {
    if (!there) {
      lost();
    } else if (retry) {
      clearTimeout(retry);
      tryAgain();
    } else {
      back();
    }
  },
);

async function introduce() {
  const { value } = await look('api/about');
  editor = value.editor && value.root ? { template: value.editor, root: value.root } : null;
  fill(by('case'), name(value.case));
  document.title = `${plain(value.case)} · fdc`;
}

async function begin() {
  try {
    await introduce();
    back();
    await reload();
  } catch (error) {
    missed(error);
  }
}

by('verdicts').addEventListener('click', (event) => {
  const how = event.target.closest('button')?.dataset.say;
  if (how) verdict(how);
});
by('undo-last').addEventListener('click', undoLast);
by('failed-filter').addEventListener('input', () => drawFailedList(failingTests(view), showCall));
by('help-open').addEventListener('click', () => by('help').showModal());
by('help-close').addEventListener('click', () => by('help').close());

// Kept per address; where that is not allowed, for this page.
const kept = {
  get: (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set: (key, value) => {
    try {
      localStorage.setItem(key, value);
    } catch {
      // Nothing is lost but the wish.
    }
  },
};

const THEMES = ['system', 'light', 'dark'];
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  by('theme').textContent = `Theme: ${theme}`;
  kept.set('theme', theme);
}
const nextTheme = () => setTheme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]);
setTheme(THEMES.includes(kept.get('theme')) ? kept.get('theme') : 'system');
by('theme').addEventListener('click', nextTheme);

by('keys-on').checked = kept.get('keys') !== 'off';
by('keys-on').addEventListener('change', () => kept.set('keys', by('keys-on').checked ? 'on' : 'off'));

const KEYS = {
  p: () => verdict('pass'),
  f: () => verdict('fail'),
  s: () => verdict('skip'),
  u: undoLast,
  t: nextTheme,
};
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat && KEYS[event.key]) return;
  if (by('help').open || event.target.closest?.('input, select, textarea')) return;
  if (event.key === '?') {
    by('help').showModal();
  } else if (by('keys-on').checked && KEYS[event.key]) {
    KEYS[event.key]();
  } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && view && !event.target.closest?.('.scroll')) {
    step(event.key === 'ArrowDown' ? 1 : -1);
  } else {
    return;
  }
  event.preventDefault();
});

begin();
