// The colours: as the browser wishes, or as the button says. Run before the page is painted.
(() => {
  const modes = ['auto', 'light', 'dark'];
  const words = { auto: 'Colours: automatic', light: 'Colours: light', dark: 'Colours: dark' };
  let mode = 'auto';
  try {
    mode = modes.find((known) => known === localStorage.getItem('theme')) ?? 'auto';
  } catch { /* Without storage the choice lasts for the page. */ }
  const apply = () => {
    if (mode === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = mode;
  };
  apply();
  document.addEventListener('DOMContentLoaded', () => {
    const button = document.getElementById('theme');
    const show = () => { button.textContent = words[mode]; };
    button.addEventListener('click', () => {
      mode = modes[(modes.indexOf(mode) + 1) % modes.length];
      try { localStorage.setItem('theme', mode); } catch { /* As above. */ }
      apply();
      show();
    });
    show();
  });
})();
