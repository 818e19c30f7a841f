'use strict';
// Methods of a picture that cannot be told apart light up together.
for (const leaf of document.querySelectorAll('svg .leaf[data-groups]')) {
  const groups = (one) => one.dataset.groups.split(' ');
  const mark = (on) => {
    const own = new Set(groups(leaf));
    for (const other of leaf.closest('svg').querySelectorAll('.leaf[data-groups]')) {
      if (other !== leaf && groups(other).some((group) => own.has(group))) other.classList.toggle('same', on);
    }
  };
  for (const event of ['pointerenter', 'focus']) leaf.addEventListener(event, () => mark(true));
  for (const event of ['pointerleave', 'blur']) leaf.addEventListener(event, () => mark(false));
}
// Sorting by a click on a heading. Missing values stay last in both directions; equal ones keep
// their order. Texts compare as people count: Lang-2 before Lang-10.
for (const table of document.querySelectorAll('table.sortable')) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const collator = new Intl.Collator('en', { numeric: true });
  heads.forEach((head, column) => {
    const button = head.querySelector('button');
    if (!button) return;
    button.addEventListener('click', () => {
      const now = head.getAttribute('aria-sort');
      const first = head.dataset.first || 'ascending';
      const other = first === 'ascending' ? 'descending' : 'ascending';
      const order = now === first ? other : first;
      const sign = order === 'ascending' ? 1 : -1;
      const numeric = head.dataset.kind === 'number';
      const key = (row) => {
        const cell = row.cells[column];
        if (!numeric) return cell.textContent;
        return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
      };
      const keyed = [...body.rows].map((row) => [key(row), row]);
      keyed.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null);
        return sign * (numeric ? (a > b) - (a < b) : collator.compare(a, b));
      });
      body.append(...keyed.map(([, row]) => row));
      for (const h of heads) h.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', order);
      const live = document.getElementById('live');
      live.textContent = `Sorted by ${button.textContent.trim()}, ${order}.`;
    });
  });
}
