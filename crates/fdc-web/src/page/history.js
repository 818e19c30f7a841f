// Answers with their undo, answers that do not fit together, and whether to stop.

const OLDEST = 200;
// Made once, and before the first answer: a browser takes longer to make one than to draw the page.
const TIME = new Intl.DateTimeFormat([], { timeStyle: 'short' });
const DAY_AND_TIME = new Intl.DateTimeFormat([], { dateStyle: 'medium', timeStyle: 'short' });

function drawHistory(view, onUndo) {
  const answers = [...view.answers].reverse();
  const rows = answers.slice(0, OLDEST).map((answer) => {
    const undo = make('button', {
      type: 'button',
      className: 'quiet undo',
      textContent: 'Undo',
      'aria-label': `Undo: ${answer.verdict}, ${plain(answer.subject)}`,
      onclick: () => onUndo(answer.id),
    });
    const trust = answer.trust !== undefined && answer.trust < 1 ? `, trust ${amount(answer.trust)}` : '';
    return make(
      'li',
      { className: answer.undone ? 'undone' : '' },
      make('span', { className: `badge ${answer.verdict}`, textContent: answer.verdict }),
      make('span', { className: 'what' }, name(answer.subject), make('span', { className: 'soft who' }, name(answer.who), `, ${moment(answer.at)}${trust}${answer.undone ? ', taken back' : ''}`)),
      answer.undone ? null : undo,
    );
  });
  if (rows.length === 0) rows.push(make('li', { className: 'none' }, make('span', { className: 'soft', textContent: 'None yet.' })));
  if (answers.length > OLDEST) rows.push(make('li', { className: 'none soft', textContent: `and ${answers.length - OLDEST} before` }));
  fill(by('history'), ...rows);
}

/** A time of the case file in the reader's own zone; as it stands if it is none. */
function moment(text) {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return plain(text);
  const today = time.toDateString() === new Date().toDateString();
  return (today ? TIME : DAY_AND_TIME).format(time);
}

function drawDoubts(view) {
  if (view.doubts.length === 0) {
    fill(by('doubts'));
    return;
  }
  fill(
    by('doubts'),
    make('h3', { textContent: 'These do not fit together' }),
    make('ul', { className: 'doubts' }, ...view.doubts.map((doubt) => make('li', { textContent: plain(doubt) }))),
  );
}

function drawAdvice(advice) {
  const { ahead } = advice;
  const row = (title, now, then) =>
    make('tr', {}, make('th', { scope: 'row', textContent: title }), make('td', { className: 'number', textContent: now }), make('td', { className: 'number', textContent: then }));
  const head = ['', 'now', `after ${ahead?.answers} more`].map((textContent) => (textContent ? make('th', { scope: 'col', className: 'number', textContent }) : make('td')));
  const agreement = advice.agreement === undefined ? null : `${Math.round(100 * advice.agreement)} % of random draws of the answers have the same first five.`;
  fill(
    by('advice'),
    make('p', { className: advice.stop ? 'stop' : 'go', textContent: plain(advice.words) }),
    ahead?.answers > 0
      ? make('table', { className: 'ahead', 'aria-label': 'What more answers would bring, if those tests pass' }, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, row('Methods at the top', ahead.tied, ahead.tied_then), row('Groups told apart', ahead.groups, ahead.groups_then)))
      : null,
    agreement ? make('p', { className: 'soft', textContent: agreement }) : null,
  );
}
