// A suspect's source with the heat of its lines; what is known of a line stands below it.

const MARKS = ['·', '▁', '▂', '▃', '▅', '▆', '█'];

/** What can be said of the selected suspect. */
function drawSuspect(view, suspect, onSay) {
  if (!suspect) {
    fill(by('suspect'));
    return;
  }
  const { method, file } = suspect;
  const [short] = methodParts(method, file);
  const tests = [[view.failing, 'the failing test']];
  if (view.next?.covers.some((covered) => covered.method === method)) tests.push([view.next.test, 'the next test']);
  const select = make('select', { id: 'call-test' }, ...tests.map(([value, textContent]) => make('option', { value, textContent })));
  const say = (text, what, title) => make('button', { type: 'button', textContent: text, title, className: 'say', onclick: () => onSay(what()) });
  fill(
    by('suspect'),
    make('p', { className: 'chosen' }, name(short, { className: 'method' }), ` place ${place(suspect.rank)}, ${suspect.probability === undefined ? 'score ' : ''}${likely(suspect)}`, suspect.fine ? make('span', { className: 'badge pass', textContent: 'said to be fine' }) : null),
    suspect.why?.length ? make('p', { className: 'soft', textContent: `Why: ${plain(suspect.why.join('; '))}.` }) : null,
    make(
      'div',
      { className: 'saying', role: 'group', 'aria-label': 'What you know of this suspect' },
      say('It is fine', () => ({ do: 'fine', method }), 'Counts as a passing test over its lines'),
      say('The fault is in this file', () => ({ do: 'near', file }), 'Counts as a failing test over the lines of the file'),
      make(
        'span',
        { className: 'call' },
        make('span', { className: 'soft', textContent: 'Its call was' }),
        say('Right', () => ({ do: 'call', test: select.value, method, right: true }), 'It did what it should: counts as a passing test over the lines run'),
        say('Wrong', () => ({ do: 'call', test: select.value, method, right: false }), 'It did not do what it should: counts as a failing test over the lines run'),
        make('label', { for: 'call-test' }, 'in'),
        select,
      ),
    ),
  );
}

/** The lines of a file; the suspect's own are marked, and its hottest is in view. */
function drawSource(listing, suspect, onPart, at) {
  const own = new Set(suspect?.lines);
  const first = listing.lines[0]?.number ?? 1;
  const last = listing.lines.at(-1)?.number ?? 0;
  const rows = new Map(listing.lines.map((line) => [line.number, sourceLine(line, own.has(line.number))]));
  const details = make('p', { className: 'details', role: 'status' });
  const scroller = make(
    'div',
    { className: 'scroll source', tabIndex: 0, role: 'region', 'aria-label': `Source of ${plain(listing.file)}; arrow keys go from line to line` },
    make('table', { className: 'code folded', role: 'presentation' }, make('tbody', {}, ...rows.values())),
  );
  const lines = new Map(listing.lines.map((line) => [line.number, line]));
  const hot = lines.has(at) ? at : hottest(listing.lines.filter((line) => own.has(line.number)));
  let current = null;
  const show = (number, scroll) => {
    rows.get(current)?.classList.remove('current');
    current = number;
    const line = lines.get(number);
    rows.get(number).classList.add('current');
    details.textContent = lineWords(line);
    for (const [other, row] of rows) row.classList.toggle('kin', line.group !== undefined && lines.get(other).group === line.group);
    if (scroll) intoView(scroller, rows.get(number), 'nearest');
  };
  scroller.addEventListener('mouseover', (event) => {
    const row = event.target.closest('tr');
    if (row && Number(row.dataset.line) !== current) show(Number(row.dataset.line), false);
  });
  scroller.addEventListener('keydown', (event) => {
    const numbers = [...rows.keys()];
    const at = numbers.indexOf(current);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.altKey || event.metaKey || numbers.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    show(numbers[Math.min(Math.max(at + step, 0), numbers.length - 1)], true);
  });
  const part = (textContent, around) => make('button', { type: 'button', className: 'quiet', textContent, onclick: () => onPart(around) });
  const earlier = listing.path && first > 1 ? part(`Lines before ${first}`, Math.max(first - 400, 1)) : null;
  const later = listing.path && last < listing.total ? part(`Lines after ${last}`, last + 400) : null;
  const missing = listing.lines.length
    ? 'The source is not found; below are the lines that were measured. `fdc serve --source FOLDER` says where the project is.'
    : 'The case names statements freely, so there are no lines to show.';
  fill(
    by('source'),
    listing.path ? located(listing.path, hot ?? suspect?.lines[0]) : make('p', { className: 'soft', textContent: missing }),
    ...listing.notes.map((note) => make('p', { className: 'remark', textContent: plain(note) })),
    earlier,
    scroller,
    later,
    details,
  );
  if (hot !== undefined) {
    show(hot, false);
    intoView(scroller, rows.get(hot), 'center');
  } else {
    details.textContent = listing.lines.length ? 'Point at a line, or go through the lines with the arrow keys.' : '';
  }
}

function sourceLine(line, own) {
  const measured = line.step !== undefined;
  const className = [measured ? `q${line.step}` : '', own ? 'own' : ''].join(' ').trim();
  const row = make(
    'tr',
    { className },
    make('td', { className: 'line-number', textContent: line.number }),
    make('td', { className: 'line-score' }, measured ? score(line.score) : '', make('span', { className: 'heat', 'aria-hidden': 'true', textContent: measured ? MARKS[line.step] : '' })),
    make('td', {}, code(line.text ?? '', line.syntax)),
  );
  row.dataset.line = line.number;
  return row;
}

function lineWords(line) {
  if (line.step === undefined) return `Line ${line.number}: not measured.`;
  const tests = (count, kind) => `${amount(count)} ${kind} test${count === 1 ? '' : 's'}`;
  const run = `run by ${tests(line.failing, 'failing')} and ${tests(line.passing, 'passing')}`;
  const group = line.group === undefined ? '' : ` Group ${line.group}: ${counted(line.group_lines, 'line')} that nothing tells apart.`;
  return `Line ${line.number}: score ${score(line.score)}, ${run}.${group}`;
}

function hottest(lines) {
  let best;
  for (const line of lines) {
    if (line.step !== undefined && (!best || (line.score ?? Infinity) > (best.score ?? Infinity))) best = line;
  }
  return best?.number;
}

/** Scrolls inside the element only, never the page. */
function intoView(scroller, row, where) {
  const top = row.offsetTop;
  const bottom = top + row.offsetHeight;
  if (where === 'center') scroller.scrollTop = top - scroller.clientHeight / 2;
  else if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (bottom > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = bottom - scroller.clientHeight;
}
