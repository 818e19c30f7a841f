// The next test: why it, what each answer would do, its source, what it runs.

const MOVES = 4;

function drawQuestion(view) {
  const next = view.next;
  const running = next && view.runs?.running === next.test;
  by('question-title').textContent = running ? 'This test is being run' : next ? 'Is what this test does right?' : 'What helps now';
  for (const id of ['outlook', 'covers-box', 'question-reason', 'test-source']) by(id).hidden = !next;
  by('verdicts').hidden = !next || running;
  by('question-runs').hidden = !view.runs;
  by('question-runs').textContent = view.runs ? plain(view.runs.words) : '';
  if (!next) {
    fill(by('question-test'));
    fill(by('question-task'), ...whatHelps(view));
    return;
  }
  fill(by('question-test'), name(next.test));
  if (running) fill(by('question-task'), 'Its outcome joins the answers by itself, and can be undone there.');
  else fill(by('question-task'), 'Its outcome is not known. Look at what it does and expects: ', make('strong', { textContent: 'pass' }), ' if that is right, ', make('strong', { textContent: 'fail' }), ' if it is wrong.');
  by('question-reason').textContent = because(next.reason, view.metric);
  fill(by('outlook'), outlook('If it passes', 'pass', next.if_passes, view), outlook('If it fails', 'fail', next.if_fails, view));
  drawCovers(next);
}

/** The outcome of every test is known: what else makes the ranking sharper. */
function whatHelps(view) {
  const [first] = view.suspects;
  const command = (text) => make('code', { textContent: text });
  const items = [
    first ? make('li', {}, 'Look at the first suspects: their source is beside them, the warmest lines first.') : null,
    first ? make('li', {}, 'Say what you know of a suspect: that it is fine, or that its call was right or wrong. It counts like a test.') : null,
    make('li', {}, 'Tell suspects apart by what notices small changes of them: ', command('fdc mutate'), '.'),
    make('li', {}, 'Get more tests to judge: ', command('fdc generate'), '.'),
  ];
  return ['Every test has an outcome or was skipped, so there is nothing to ask.', make('ul', { className: 'helps' }, ...items)];
}

function because(reason, metric) {
  const covers = `Runs ${reason.covers} of ${counted(reason.suspicious, 'suspicious line')}`;
  const [inside, outside] = reason.largest_split ?? [];
  const splits = reason.largest_split
    ? `, splits ${reason.splits} of ${counted(reason.groups, 'group')}, the largest into ${inside} and ${outside}`
    : ', splits no group';
  const says = reason.metric_says ? ` ${metric}: ${plain(reason.metric_says)}.` : '';
  return `${covers}${splits}.${says}`;
}

function outlook(title, kind, answered, view) {
  const known = new Map(view.suspects.map((suspect) => [suspect.method, suspect.file]));
  const moves = answered.moves.slice(0, MOVES).map((move) => {
    const [short] = methodParts(move.method, known.get(move.method) ?? move.method.split('::')[0]);
    return make(
      'li',
      {},
      name(short, { title: plain(move.method), className: 'method' }),
      make('span', { className: 'places' }, `${place(move.from)} `, make('span', { 'aria-label': 'to', role: 'img', textContent: '→' }), ` ${place(move.to)}`),
    );
  });
  const more = answered.moves.length - moves.length;
  return make(
    'section',
    { className: `answered ${kind}` },
    make('h3', { textContent: title }),
    make('p', { textContent: `${answered.tied} at the top, now ${view.tied}` }),
    moves.length ? make('ul', {}, ...moves) : make('p', { className: 'soft', textContent: 'No place among the first five changes.' }),
    more > 0 ? make('p', { className: 'soft', textContent: `and ${more} more` }) : null,
  );
}

function drawCovers(next) {
  if (next.covers.length === 0) {
    fill(by('covers'), make('p', { className: 'soft', textContent: 'None of the suspects shown.' }));
    return;
  }
  const rows = next.covers.map((covered) =>
    make(
      'tr',
      {},
      make('td', { className: 'number', textContent: place(covered.rank) }),
      make('td', {}, name(covered.method)),
      make('td', { className: 'number', textContent: `${covered.lines.length} of ${covered.of}` }),
    ),
  );
  const head = make('tr', {}, ...[['Place', 'number'], ['Method', ''], ['Lines', 'number']].map(([textContent, className]) => make('th', { scope: 'col', textContent, className })));
  fill(by('covers'), make('table', { 'aria-label': 'What the test runs of the suspects' }, make('thead', {}, head), make('tbody', {}, ...rows)));
}

/** The source of the test asked for, once it is there. */
function drawTest(listing) {
  if (!listing.path) {
    const text = 'Not found below the source folder; `fdc serve --source FOLDER` says where the project is.';
    fill(by('test-source'), make('p', { className: 'soft', textContent: text }));
    return;
  }
  const scroller = make('div', { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Source of the test' }, codeTable(listing));
  fill(by('test-source'), located(listing.path, listing.first), newer(listing), scroller);
}
