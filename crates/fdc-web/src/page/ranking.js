// The ranking: places, scores, what moved.

/** Draws the suspects; `before` has the places of the state before, by method. */
function drawRanking(view, state, selected, before, onSelect) {
  const highest = Math.max(...view.suspects.map((suspect) => suspect.score ?? 0), 0);
  const rows = view.suspects.map((suspect) => {
    const [short, file] = methodParts(suspect.method, suspect.file);
    const isSelected = suspect.method === selected;
    const share = suspect.score === undefined ? 1 : highest > 0 ? Math.max(suspect.score, 0) / highest : 0;
    const bar = make('span', { className: 'bar', 'aria-hidden': 'true' });
    bar.style.setProperty('--share', share.toFixed(3));
    const choose = make(
      'button',
      {
        type: 'button',
        className: 'suspect',
        title: plain(suspect.method),
        'aria-pressed': String(isSelected),
        onclick: () => onSelect(suspect.method),
      },
      name(short, { className: 'method' }),
      name(fileName(file), { className: 'file', title: plain(file) }),
      suspect.why?.length ? make('span', { className: 'why', textContent: plain(suspect.why.join('; ')) }) : null,
    );
    const fine = suspect.fine ? make('span', { className: 'badge pass', textContent: 'said to be fine' }) : null;
    return make(
      'tr',
      { className: [isSelected ? 'selected' : '', suspect.fine ? 'fine' : ''].join(' ').trim() },
      make('td', { className: 'number place' }, place(suspect.rank), movement(before?.get(suspect.method), suspect.rank)),
      make('td', { className: 'number score' }, likely(suspect), bar),
      make('td', {}, choose, fine),
    );
  });
  fill(by('ranking').tBodies[0], ...rows);
  const shown = view.suspects.length;
  const tied = view.tied > 1 ? `${view.tied} methods share the first place.` : 'One method stands first.';
  const rest = view.methods > shown ? ` The first ${shown} of ${view.methods} methods.` : '';
  const five = view.within_first_five === undefined ? '' : ` The fault is in the first five with ${percent(view.within_first_five)}.`;
  by('ranking-lead').textContent = view.methods ? tied + rest + five : 'No method is suspected.';
  by('ranking').dataset.state = state;
}

/** How far a method moved since the answer before. */
function movement(before, now) {
  if (before === undefined || before === now) return null;
  const up = before > now;
  const words = `${up ? 'up' : 'down'} from ${place(before)}`;
  return make(
    'span',
    { className: up ? 'moved up' : 'moved down', title: words },
    make('span', { 'aria-hidden': 'true', textContent: up ? '▲' : '▼' }),
    make('span', { className: 'unseen', textContent: ` ${words}` }),
  );
}

/** The places by method, to compare the next state with. */
const placesOf = (view) => new Map(view.suspects.map((suspect) => [suspect.method, suspect.rank]));
