// The suspects as a picture. It is drawn by the server, with every name escaped, and it is the only
// markup that this page takes as such.

const pictures = window.trustedTypes?.createPolicy('picture', { createHTML: (svg) => svg });

async function drawPicture(onSelect) {
  const { text } = await request('api/picture');
  const parsed = new DOMParser().parseFromString(pictures ? pictures.createHTML(text) : text, 'image/svg+xml');
  if (parsed.documentElement.localName !== 'svg') return;
  const svg = document.importNode(parsed.documentElement, true);
  const scroller = make('div', { className: 'scroll' }, svg);
  svg.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (!link) return;
    event.preventDefault();
    onSelect(decodeURIComponent(link.getAttribute('href').slice(1)));
  });
  fill(by('picture'), scroller);
}
