// The suspects as a picture. It is drawn by the server, with every name escaped, and it is the only
// markup that this page takes as such.

const pictures = window.trustedTypes?.createPolicy('picture', { createHTML: (svg) => svg });

async function drawPicture(onSelect) {
  const { text } = await request('api/picture');
  const parsed = new DOMParser().parseFromString(pictures ? pictures.createHTML(text) : text, 'image/svg+xml');
  if (parsed.documentElement.localName !== 'svg') return;
  const svg = document.importNode(parsed.documentElement, true);
  const scroller = make('div', { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Picture of the groups' }, svg);
  svg.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (!link) return;
    event.preventDefault();
    onSelect(decodeURIComponent(link.getAttribute('href').slice(1)));
  });
  // Methods that share a group with the one pointed at.
  const leaves = [...svg.querySelectorAll('.leaf')];
  const groups = new Map(leaves.map((leaf) => [leaf, new Set(leaf.dataset.groups?.split(' '))]));
  const relate = (event) => {
    const at = groups.get(event.target.closest('.leaf'));
    for (const [leaf, own] of groups) leaf.classList.toggle('same', [...(at ?? [])].some((group) => own.has(group)));
  };
  svg.addEventListener('mouseover', relate);
  svg.addEventListener('focusin', relate);
  fill(by('picture'), scroller);
}
