// Shows a column's values at once where it is pointed at; without script the browser does it later.
(() => {
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  document.body.append(tip);
  for (const place of document.querySelectorAll('.hit')) {
    const title = place.querySelector('title');
    const lines = title.textContent.split('\n');
    title.remove();
    place.addEventListener('pointerenter', () => {
      tip.replaceChildren(...lines.map((line, index) => {
        const row = document.createElement(index === 0 ? 'b' : 'span');
        row.textContent = line;
        return row;
      }));
      tip.hidden = false;
    });
    place.addEventListener('pointermove', (event) => {
      const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
      const beside = event.clientX + 16;
      tip.style.left = Math.max(8, beside > room ? event.clientX - tip.offsetWidth - 16 : beside) + 'px';
      tip.style.top = Math.max(8, event.clientY - tip.offsetHeight - 12) + 'px';
    });
    place.addEventListener('pointerleave', () => { tip.hidden = true; });
  }
})();
